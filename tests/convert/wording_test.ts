import { assertEquals } from "@std/assert";
import { percent } from "../../src/convert/wording.ts";

Deno.test("shares are rounded to a tenth of a percent, and are 100 % only when nothing is missing", () => {
  const shares = [[2, 3], [1, 3], [31, 80], [4, 5], [19_999, 20_000], [7, 7], [0, 7], [0, 0]];
  assertEquals(shares.map(([part, whole]) => percent(part, whole)), [
    "66.7 %",
    "33.3 %",
    "38.8 %",
    "80.0 %",
    "99.9 %",
    "100.0 %",
    "0.0 %",
    "0.0 %",
  ]);
});
