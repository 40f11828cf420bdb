import { comparedEndpoints, comparedTotals } from "../../../src/report/compare/compared_metrics.ts";
import { comparisonJson, comparisonText } from "../../../src/report/compare/print_comparison.ts";
import { assertEquals } from "@std/assert";
import { describeComparison } from "../../../src/report/compare/comparison_report.ts";
import { longSummary } from "../../builders/long_summary.ts";

const run = (file: string, endpoints: number, slower = 1) => ({
  file,
  summary: longSummary({ seconds: 60, endpoints, slower, seed: file.charCodeAt(0) }),
});

function parsed(...runs: ReturnType<typeof run>[]) {
  const text = comparisonJson(describeComparison(runs), runs);
  assertEquals(text.indexOf("\n"), text.length - 1);
  return JSON.parse(text);
}

Deno.test("comparisonJson contains the metrics of two runs, and null for endpoints that are missing from either run", () => {
  const { verdict, comparisons, history, runs } = parsed(run("a", 2), run("b", 3, 2));
  assertEquals([verdict, history, runs.length, comparisons.length], ["worse", undefined, 2, 1]);
  const [{ before, after, metrics, endpoints }] = comparisons;
  assertEquals([before, after], ["a", "b"]);
  const p50 = metrics.find(({ label }: { label: string }) => label === "p50");
  assertEquals([p50.unit, p50.verdict, p50.change > 0.8], ["time", "worse", true]);
  const { before: early, after: late } = p50.intervals;
  assertEquals(early.low <= p50.before && p50.before <= early.high && early.high < late.low, true);
  assertEquals(metrics[0].intervals, undefined);
  assertEquals(Object.keys(endpoints[0].intervals), ["p95", "p50", "failed"]);
  assertEquals(endpoints.map(({ before }: { before: unknown }) => before === null), [
    false,
    false,
    true,
  ]);
  assertEquals(endpoints[0].verdicts, {
    p95: "worse",
    p50: "worse",
    failed: "within noise",
  });
  assertEquals([endpoints[2].verdicts, endpoints[2].after.requests], [undefined, 3_000]);
});

Deno.test("the history in comparisonJson contains null for runs without a value", () => {
  const [a, b, c] = [run("a", 2), run("b", 3), run("c", 2)];
  const cut = { file: "b", summary: { ...b.summary, ending: "interrupted" as const } };
  const { history } = parsed(a, cut, c);
  const [p50] = history;
  const isKnown = p50.values.map((value: unknown) => value !== null);
  assertEquals([p50.label, isKnown], ["p50", [true, false, true]]);
});

Deno.test("docs/reports.md describes every key of the JSON of a comparison", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/reports.md", import.meta.url));
  const [, part] = page.match(/\n## Compare runs\n(.*?)\n## /s)!;
  const keys = new Set<string>();
  JSON.stringify(parsed(run("a", 2), run("b", 3), run("c", 2)), (key, value) => {
    if (!/^\d*$/.test(key)) keys.add(key);
    // Its keys are those of the summary.
    return key === "environment" ? undefined : value;
  });
  assertEquals([...keys].filter((key) => !part.includes(`\`${key}\``)), []);
});

Deno.test("a comparison leaves out percentiles for which a run has too few requests", () => {
  const few = { seconds: 1, endpoints: 2 };
  const [before, after] = [longSummary(few), longSummary({ ...few, slower: 3, seed: 2 })];
  const labels = comparedTotals(before, after).map(({ label }) => label);
  assertEquals(labels.includes("p99.9"), false);
  for (const { p95, time } of comparedEndpoints(before, after)) {
    assertEquals(time.percentile === "p95", p95 !== "not enough data");
  }
  const text = comparisonText(
    describeComparison([{ file: "a", summary: before }, { file: "b", summary: after }]),
    false,
  );
  assertEquals(/p99\.9/.test(text), false);
});
