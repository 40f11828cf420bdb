import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseHtml, selectCss } from "../../../../src/extract/parse_html.ts";
import { historyChart } from "../../../../src/report/html/comparison/history_chart.ts";
import { historyReport } from "../../../../src/report/html/comparison/history_report.ts";
import { longSummary } from "../../../builders/long_summary.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";

function runs(count: number, step = 0) {
  return Array.from({ length: count }, (_, i) => ({
    file: `${HOSTILE}${i}.json`,
    summary: longSummary({
      seconds: 60,
      endpoints: 4,
      slower: 1 + step * i,
      seed: i + 1,
      name: (k) => `${k} ${HOSTILE}`,
    }),
  }));
}

Deno.test("historyReport draws each metric with its confidence intervals, and a drift as a dashed line", async () => {
  const text = await historyReport(runs(6, 0.05));
  assertEquals(text.includes("<img"), false);
  const page = parseHtml(text);
  const [verdict] = selectCss(".verdict", undefined, page);
  assertEquals(verdict.trim(), "✗ Worse");
  const labels = [...selectCss("svg.history", "aria-label", page)];
  assertEquals(labels.map((label) => label.split(" of ")[0]), [
    "p50",
    "p95",
    "p99",
    "Failed",
    "Requests/s",
  ]);
  assertStringIncludes(labels[0], "p50 of each run: 24.1ms, ");
  const changes = [...selectCss("#changes tbody th", undefined, page)];
  assertEquals(changes[0], "p50");
  const drifts = [...selectCss("svg.history .drift", "d", page)];
  assertEquals(drifts.length >= 1, true);
  assertEquals([...selectCss("svg.history circle", "r", page)].length, 5 * 6);
  const results = [...selectCss('[aria-label="Drift"] td:last-child', undefined, page)];
  assertEquals(results[0], "✗ slower");
});

Deno.test("historyReport leaves gaps for runs without values", async () => {
  const [a, b, c] = runs(3);
  const cut = { ...b, summary: { ...b.summary, ending: "interrupted" as const } };
  const page = parseHtml(await historyReport([a, cut, c]));
  const [p50] = selectCss("svg.history", "aria-label", page);
  assertStringIncludes(p50, ", no value, ");
  const [line] = selectCss("svg.history .values", "d", page);
  assertEquals(line.replace(/\d+ \d+/g, ""), "MM");
  const cells = [...selectCss('[aria-label="Runs"] tbody tr:nth-child(2) td', undefined, page)];
  assertEquals(cells[2], "–");
});

Deno.test("historyReport handles runs in which no request got a response", async () => {
  const dead = runs(3).map(({ file, summary }) => ({
    file,
    summary: { ...summary, endpoints: [], failure: "no request got a response" as const },
  }));
  const page = parseHtml(await historyReport(dead));
  const [verdict] = selectCss(".verdict", undefined, page);
  assertEquals(verdict.trim(), "Not comparable");
});

Deno.test("historyChart scales its axis to the highest finite upper bound of a confidence interval", () => {
  const estimate = (value: number, high: number) => ({ value, low: value / 2, high });
  const values = [estimate(10, 40), estimate(12, 14), estimate(11, Infinity)];
  const chart = historyChart({ label: "p99", unit: "time", values }, ["a", "b", "c"]);
  const page = parseHtml(chart.text);
  assertEquals([...selectCss("text[text-anchor=end]", undefined, page)].at(-1), "40ms");
  const [bars] = selectCss(".interval", "d", page);
  assertEquals(bars.split("M").slice(1).map((bar) => Number(bar.split("V")[1])), [8, 99, 8]);
});
