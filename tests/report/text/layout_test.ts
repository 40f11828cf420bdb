import { assertEquals } from "@std/assert";
import { sparkline } from "../../../src/report/text/layout.ts";

Deno.test("draws the highest value as a full bar and only zero as blank", () => {
  assertEquals(sparkline([0, 1, 50, 100]), " ▁▄█");
  assertEquals(sparkline([0, 0]), "  ");
  assertEquals(sparkline([]), "");
});
