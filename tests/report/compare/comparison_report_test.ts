import { assertEquals } from "@std/assert";
import { changeText } from "../../../src/report/compare/comparison_report.ts";

Deno.test("changeText formats a change as a percentage, or as a factor if it is large", () => {
  const cases: readonly [change: number | undefined, text: string][] = [
    [undefined, "–"],
    [0, "+0.00%"],
    [0.12, "+12.00%"],
    [-0.035, "−3.50%"],
    [-1, "−100.00%"],
    [8.99, "+899.00%"],
    [9, "10 times"],
    [76.0443, "77 times"],
    [123_455, "120,000 times"],
  ];
  for (const [change, text] of cases) assertEquals(changeText(change), text);
});
