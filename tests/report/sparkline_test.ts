import { assertEquals } from "@std/assert";
import { sparkline } from "../../src/report/text/sparkline.ts";

Deno.test("the highest value is a full bar and only zero is blank", () => {
  assertEquals(sparkline([0, 1, 50, 100]), " ▁▄█");
  assertEquals(sparkline([0, 0]), "  ");
  assertEquals(sparkline([]), "");
});
