import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { describeComparison } from "../../../src/report/compare/comparison_report.ts";
import type { ComparedRun } from "../../../src/report/compare/run_differences.ts";
import type { Section } from "../../../src/report/blocks.ts";
import { printText, style } from "../../../src/report/text/print_blocks.ts";
import { longSummary } from "../../builders/long_summary.ts";

/**
 * Creates runs with the same load. The response times of run `i` are `1 + step * i` times those of
 * run 0.
 */
function runs(count: number, step: number): ComparedRun[] {
  return Array.from({ length: count }, (_, i) => ({
    file: `${i + 1}.json`,
    summary: longSummary({ seconds: 60, endpoints: 3, slower: 1 + step * i, seed: i + 1 }),
  }));
}

function change(run: ComparedRun, changes: Partial<Summary>): ComparedRun {
  return { ...run, summary: { ...run.summary, ...changes } };
}

/** Returns the title and the lines of each section that has content. */
function shown(sections: readonly Section[]): [title: string, lines: string[]][] {
  return sections.map((section): [string, string[]] => {
    const [, ...lines] = printText([section], style(false, Infinity));
    return [section.title, lines.slice(0, -1)];
  }).filter(([, lines]) => lines.length > 0);
}

Deno.test("several runs are within noise if the target has not changed", () => {
  const { change, reasons, sections } = describeComparison(runs(3, 0));
  assertEquals(change, "within noise");
  assertStringIncludes(reasons[0], "compared with the previous run, 2.json: within noise");
  const [[title, lines]] = shown(sections);
  assertEquals(title, "Runs");
  assertMatch(lines[0], /^ {2}Run {2}File +p50 +p95 +p99 /);
  assertEquals(lines.slice(1).map((line) => line.split(/ +/)[2]), ["1.json", "2.json", "3.json"]);
});

Deno.test("the last run is compared with the first run, so that small regressions add up", () => {
  const { change, reasons } = describeComparison(runs(4, 0.15));
  assertEquals(change, "worse");
  assertStringIncludes(reasons[1], "compared with the first run, 1.json: worse");
});

Deno.test("the history ignores incomplete runs, and response times of runs without a response", () => {
  const [first, cut, dead, ...rest] = runs(6, 0);
  const found = describeComparison([
    first,
    change(cut, { ending: "interrupted" }),
    change(dead, { failure: "no request got a response", passed: false }),
    ...rest,
  ]);
  const [p50, , , failed] = found.history!;
  const isKnown = p50.values.map((value) => value !== undefined);
  assertEquals(isKnown, [true, false, false, true, true, true]);
  assertEquals(failed.values[1], undefined);
  assertEquals(found.change, "within noise");
});

Deno.test("several runs are not comparable if the last run is incomplete", () => {
  const [a, b, c] = runs(3, 0);
  const found = describeComparison([a, b, change(c, { ending: "interrupted" })]);
  assertEquals(found.change, "not comparable");
});

Deno.test("each metric that leads to the verdict on several runs is listed with its confidence intervals", () => {
  const all = runs(3, 0);
  const slow = longSummary({ seconds: 60, endpoints: 3, slower: 2, seed: 3 }).histograms.metrics;
  const { http_req_latency_corrected } = slow;
  const last = all[2].summary.histograms;
  const histograms = { ...last, metrics: { ...last.metrics, http_req_latency_corrected } };
  const found = describeComparison([all[0], all[1], change(all[2], { histograms })]);
  assertEquals(found.change, "worse");
  const sections = shown(found.sections);
  assertEquals(sections.map(([title]) => title), [
    "Run 3 compared with run 2 (the previous run)",
    "Run 3 compared with run 1 (the first run)",
    "Runs",
  ]);
  const [, [, first]] = sections[0];
  const [metric, before, after, result] = first.trim().split(/ {2,}/);
  assertEquals([metric, result], ["corrected p50", "✗ slower"]);
  for (const text of [before, after]) assertMatch(text, /^\S+ms \(\S+ms–\S+ms\)$/);
});

Deno.test("only newly failing thresholds are listed as changes if the last run is incomplete", () => {
  const all = runs(3, 0.5);
  const failed = { metric: "checks", expression: "rate>0.9", abort_on_fail: false, value: 0.5 };
  const thresholds = [{ ...all[0].summary.thresholds[0], ...failed, passed: false }];
  const last = change(all[2], { thresholds, ending: "interrupted" });
  const { sections } = describeComparison([all[0], all[1], last]);
  const found = shown(sections).slice(0, 2).map(([, [, ...rows]]) => rows);
  const row = ["  checks: rate>0.9                      –                50.00%  ✗ failed"];
  assertEquals(found, [row, row]);
});
