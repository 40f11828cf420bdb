import { assertEquals } from "@std/assert";
import { singular } from "../../../src/convert/correlate/resource_names.ts";

Deno.test("singular removes the plural ending of a word", () => {
  const words = {
    teas: "tea",
    entries: "entry",
    boxes: "box",
    branches: "branch",
    statuses: "status",
    viruses: "virus",
    bonuses: "bonus",
    campuses: "campus",
    causes: "cause",
    clauses: "clause",
    houses: "house",
    status: "status",
    address: "address",
    bus: "bus",
  };
  for (const [word, expected] of Object.entries(words)) assertEquals(singular(word), expected);
});
