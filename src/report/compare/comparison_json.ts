import { safeJson } from "../../base/safe_text.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import { failedShare } from "../stats.ts";
import { type EstimatePair, relativeChange } from "./change.ts";
import { compareRuns } from "./compare_runs.ts";
import { comparedEndpoints, comparedTotals, type ShownTime } from "./compared_metrics.ts";
import type { Comparison } from "./comparison_report.ts";
import { metricHistories } from "./history.ts";
import type { ComparedRun } from "./run_differences.ts";

/** Version of the JSON format of a comparison. It increases when a key is removed or redefined. */
const COMPARISON_SCHEMA = 2;

/**
 * Serializes a comparison of at least two runs as one line of JSON. Shares are from 0 to 1, and
 * times are in milliseconds.
 */
export function comparisonJson(
  { change, reasons, warnings }: Comparison,
  runs: readonly ComparedRun[],
): string {
  const last = runs[runs.length - 1];
  const earlier = runs.length === 2 ? [runs[0]] : [runs[runs.length - 2], runs[0]];
  return safeJson({
    comparison: COMPARISON_SCHEMA,
    verdict: change,
    reasons,
    warnings,
    runs: runs.map(runJson),
    comparisons: earlier.map((run) => pairJson(run, last)),
    ...(runs.length > 2 && { history: historyJson(runs) }),
  }) + "\n";
}

function runJson({ file, summary }: ComparedRun) {
  const { name, started_at, duration_ms, ending, passed, plan_hash, environment } = summary;
  return { file, name, started_at, duration_ms, ending, passed, plan_hash, environment };
}

function pairJson(before: ComparedRun, after: ComparedRun) {
  const endpoints = comparedEndpoints(before.summary, after.summary);
  const { change, details } = compareRuns(before.summary, after.summary, endpoints);
  return {
    before: before.file,
    after: after.file,
    verdict: change,
    details,
    metrics: comparedTotals(before.summary, after.summary).map(({ estimates, ...total }) => ({
      ...total,
      change: relativeChange(total.before, total.after),
      ...(estimates && { intervals: intervalsJson(estimates) }),
    })),
    endpoints: endpoints.map((
      { name, scenario, group, before, after, p95, p50, failed, time, estimates },
    ) => ({
      ...{ scenario, group, name, time },
      before: endpointJson(before, time),
      after: endpointJson(after, time),
      // Only endpoints that both runs have get verdicts.
      ...(before && after && { verdicts: { p95, p50, failed } }),
      ...(estimates && {
        intervals: {
          p95: intervalsJson(estimates.p95),
          p50: intervalsJson(estimates.p50),
          failed: intervalsJson(estimates.failed),
        },
      }),
    })),
  };
}

/** Returns the 99% confidence intervals of a metric. `high` is null if there is no upper bound. */
function intervalsJson({ before, after }: EstimatePair) {
  const [a, b] = [before, after].map(({ low, high }) => ({
    low,
    high: high === Infinity ? null : high,
  }));
  return { before: a, after: b };
}

/** `p95` is null if a run has too few requests. */
function endpointJson(stats: EndpointStats | undefined, { percentile }: ShownTime) {
  if (stats === undefined) return null;
  const { count, http_req_duration } = stats;
  const p95 = percentile === "p95" ? http_req_duration["p(95)"] : null;
  return { requests: count, p95, failed: failedShare(stats) };
}

function historyJson(runs: readonly ComparedRun[]) {
  return metricHistories(runs).map(({ values, ...metric }) => ({
    ...metric,
    values: values.map((estimate) => estimate ?? null),
  }));
}
