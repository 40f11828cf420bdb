import { assertEquals } from "@std/assert";
import { parseHtml, selectCss } from "../../../../src/extract/parse_html.ts";
import { describeComparison } from "../../../../src/report/compare/describe_comparison.ts";
import { historyReport } from "../../../../src/report/html/comparison/history_report.ts";
import { longSummary } from "../../../builders/long_summary.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";

Deno.test("historyReport lists the changes and the metrics of each run, and escapes names", async () => {
  const runs = [0, 1, 2].map((i) => ({
    file: `${HOSTILE}${i}.json`,
    summary: longSummary({
      seconds: 60,
      endpoints: 4,
      slower: 1 + i / 4,
      seed: i + 1,
      name: (k) => `${k} ${HOSTILE}`,
    }),
  }));
  runs[1].summary = { ...runs[1].summary, ending: "interrupted" };
  const text = await historyReport(describeComparison(runs), runs);
  assertEquals(text.includes("<img"), false);
  const page = parseHtml(text);
  const [verdict] = selectCss(".verdict", undefined, page);
  assertEquals(verdict.trim(), "✗ Worse");
  const changes = selectCss("#run-3-compared-with-run-1-the-first-run- tbody th", undefined, page);
  assertEquals([...changes][0], "p50");
  const files = [...selectCss("#runs tbody td:nth-child(2)", undefined, page)];
  assertEquals(files, runs.map(({ file }) => file));
  const p50 = [...selectCss("#runs tbody td:nth-child(3)", undefined, page)];
  assertEquals(p50.map((cell) => cell === "–"), [false, true, false]);
});
