import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { judgeHistory } from "../../../src/report/compare/judge_history.ts";
import type { ComparedRun } from "../../../src/report/compare/run_differences.ts";
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

Deno.test("judgeHistory reports a slow drift with its evidence, even if no change between consecutive runs is significant", () => {
  const found = judgeHistory(runs(6, 0.03));
  assertEquals(found.change, "worse");
  assertStringIncludes(
    found.reasons[0],
    "compared with the previous run, 5.json: within noise",
  );
  const drift = found.reasons.find((reason) => reason.startsWith("drift of p50"));
  assertStringIncludes(drift!, "over 6 runs: worse: from ");
  assertStringIncludes(drift!, "higher in 15 of 15 pairs (p = 0.0014)");
});

Deno.test("judgeHistory does not report a drift if the target has not changed", () => {
  const { change, reasons } = judgeHistory(runs(6, 0));
  assertEquals(change, "within noise");
  assertEquals(reasons[2], "no drift of p50, p95, p99, Failed over 6 runs");
});

Deno.test("judgeHistory states that 5 runs are too few to detect a drift", () => {
  const { change, reasons, metrics } = judgeHistory(runs(5, 0));
  assertEquals([change, metrics[0].drift!.verdict], ["within noise", "unknown"]);
  assertEquals(
    reasons[2],
    "drift over all runs: unknown, because drift detection needs 6 complete runs with responses, but only 5 were given",
  );
});

Deno.test("judgeHistory compares with the first run, so that small regressions add up", () => {
  const { change, reasons } = judgeHistory(runs(4, 0.15));
  assertEquals(change, "worse");
  assertStringIncludes(reasons[1], "compared with the first run, 1.json: worse");
});

Deno.test("judgeHistory ignores incomplete runs, and response times of runs without a response", () => {
  const all = runs(6, 0);
  const [first, cut, dead, ...rest] = all;
  const { metrics, change: verdict } = judgeHistory([
    first,
    change(cut, { ending: "interrupted" }),
    change(dead, { failure: "no request got a response", passed: false }),
    ...rest,
  ]);
  const [p50, , , failed] = metrics;
  assertEquals(p50.values.map((value) => value !== undefined), [
    true,
    false,
    false,
    true,
    true,
    true,
  ]);
  assertEquals(failed.values[1], undefined);
  assertEquals([p50.drift!.verdict, verdict], ["unknown", "within noise"]);
});

Deno.test("judgeHistory returns `not comparable` if the last run is incomplete", () => {
  const [a, b, c] = runs(3, 0);
  assertEquals(judgeHistory([a, b, change(c, { ending: "interrupted" })]).change, "not comparable");
});

Deno.test("judgeHistory includes endpoints that are missing from some runs", () => {
  const [a, b, c] = runs(3, 0);
  const endpoints = b.summary.endpoints.slice(1);
  const histograms = {
    ...b.summary.histograms,
    endpoints: b.summary.histograms.endpoints.slice(1),
  };
  const found = judgeHistory([a, change(b, { endpoints, histograms }), c]).endpoints;
  assertEquals(found.length, 3);
  const gone = found.find(({ name }) => name === a.summary.endpoints[0].name)!;
  assertEquals(gone.requests.map((count) => count !== undefined), [true, false, true]);
  assertEquals(gone.p95.values[1], undefined);
});

Deno.test("judgeHistory lists each metric that leads to the verdict, with its confidence intervals", () => {
  const all = runs(3, 0);
  const slow = longSummary({ seconds: 60, endpoints: 3, slower: 2, seed: 3 }).histograms.metrics;
  const last = all[2].summary.histograms;
  const metrics = {
    ...last.metrics,
    http_req_latency_corrected: slow.http_req_latency_corrected,
  };
  const found = judgeHistory([
    all[0],
    all[1],
    change(all[2], { histograms: { ...last, metrics } }),
  ]);
  assertEquals(found.change, "worse");
  assertEquals(found.changes.map(({ title }) => title), [
    "Run 3 compared with run 2 (the previous run)",
    "Run 3 compared with run 1 (the first run)",
  ]);
  const [metric, before, after, result] = found.changes[0].rows[0].map(({ text }) => text);
  assertEquals([metric, result], ["corrected p50", "✗ slower"]);
  for (const text of [before, after]) assertMatch(text, /^\S+ms \(\S+ms–\S+ms\)$/);
});

Deno.test("judgeHistory lists only newly failing thresholds as changes if the last run is incomplete", () => {
  const all = runs(3, 0.5);
  const failed = { metric: "checks", expression: "rate>0.9", abort_on_fail: false, value: 0.5 };
  const thresholds = [{ ...all[0].summary.thresholds[0], ...failed, passed: false }];
  const { changes } = judgeHistory([
    all[0],
    all[1],
    change(all[2], { thresholds, ending: "interrupted" }),
  ]);
  assertEquals(changes.map(({ rows }) => rows.map((row) => row.map(({ text }) => text))), [
    [["checks: rate>0.9", "–", "50.00%", "✗ failed"]],
    [["checks: rate>0.9", "–", "50.00%", "✗ failed"]],
  ]);
});
