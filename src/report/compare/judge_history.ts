import { plural } from "../../base/format.ts";
import { compareRuns, type RunChange } from "./compare_runs.ts";
import type { ComparisonTable } from "./comparison_tables.ts";
import { changesTable } from "./metric_changes.ts";
import { type Drift, MIN_DRIFT_RUNS } from "./drift.ts";
import type { ComparedRun } from "./run_differences.ts";
import {
  endpointHistories,
  type EndpointHistory,
  metricHistories,
  type MetricHistory,
} from "./run_history.ts";
import { changeText, inUnit } from "./unit.ts";
import { relativeChange } from "./change.ts";

/** Result of comparing several runs, in the order in which they are given. */
export interface RunHistory {
  readonly runs: readonly ComparedRun[];
  /**
   * Verdict on the last run. It is `worse` if the last run is worse than the first or the previous
   * run, or if a metric drifts.
   */
  readonly change: RunChange;
  /** Reasons for the verdict. They may contain recorded text, which is not escaped. */
  readonly reasons: readonly string[];
  /**
   * Changes that lead to the verdict, one table for each run that the last run is compared with.
   */
  readonly changes: readonly ComparisonTable[];
  readonly metrics: readonly MetricHistory[];
  readonly endpoints: readonly EndpointHistory[];
}

/**
 * Judges at least three runs: compares the last run with the first and the previous run, and looks
 * for drifts over all runs.
 */
export function judgeHistory(runs: readonly ComparedRun[]): RunHistory {
  const [metrics, endpoints] = [metricHistories(runs), endpointHistories(runs)];
  const last = runs[runs.length - 1];
  const compared = [
    ["previous", runs.length - 1],
    ["first", 1],
  ] as const;
  const comparisons = compared.map(([which, number]) => {
    const { file, summary } = runs[number - 1];
    const { change, details, changes, broken } = compareRuns(summary, last.summary);
    const title = `Run ${runs.length} compared with run ${number} (the ${which} run)`;
    return {
      change,
      text: `compared with the ${which} run, ${file}: ${change}: ${details}`,
      table: changesTable(title, changes, broken),
    };
  });
  const drifts = [
    ...metrics.flatMap(({ drift }) => drift ?? []),
    ...endpoints.flatMap(({ p95, failed }) => [p95.drift, failed.drift]),
  ];
  const isDrifting = (verdict: Drift["verdict"]) =>
    drifts.some((drift) => drift.verdict === verdict);
  const has = (change: RunChange) => comparisons.some((comparison) => comparison.change === change);
  const change: RunChange = has("worse") || isDrifting("worse")
    ? "worse"
    : has("not comparable")
    ? "not comparable"
    : comparisons[1].change === "better" || isDrifting("better")
    ? "better"
    : "within noise";
  return {
    runs,
    change,
    reasons: [...comparisons.map(({ text }) => text), ...driftReasons(metrics, endpoints)],
    changes: comparisons.map(({ table }) => table).filter(({ rows }) => rows.length > 0),
    metrics,
    endpoints,
  };
}

/** Maximum number of drifting endpoints to list as reasons. */
const MAX_ENDPOINTS = 5;

function driftReasons(
  metrics: readonly MetricHistory[],
  endpoints: readonly EndpointHistory[],
): string[] {
  const judged = metrics.filter(({ drift }) => drift !== undefined);
  const known = Math.max(...judged.map(({ drift }) => drift!.runs));
  if (known < MIN_DRIFT_RUNS) {
    return [
      `drift over all runs: unknown, because drift detection needs ${MIN_DRIFT_RUNS} complete runs ` +
      `with responses, but only ${known} ${known === 1 ? "was" : "were"} given`,
    ];
  }
  const drifting = judged.filter(isDrifting);
  const rows = endpoints.flatMap(({ name, p95, failed }) =>
    [p95, failed].filter(isDrifting).map((metric) =>
      describeDrift(metric, `${metric.label} of ${name}`)
    )
  );
  const more = rows.length - MAX_ENDPOINTS;
  return [
    ...(drifting.length === 0
      ? [`no drift of ${judged.map(({ label }) => label).join(", ")} over ${plural(known, "run")}`]
      : drifting.map((metric) => describeDrift(metric, metric.label))),
    ...rows.slice(0, MAX_ENDPOINTS),
    ...(more > 0 ? [`${plural(more, "more endpoint metric")} with a drift`] : []),
  ];
}

/** Reports whether a metric drifts up or down. */
export function isDrifting({ drift }: MetricHistory): boolean {
  return drift?.verdict === "worse" || drift?.verdict === "better";
}

function describeDrift({ drift, unit }: MetricHistory, subject: string): string {
  const { runs, from, to, trend: { rises, falls, pairs, p } } = drift!;
  const [direction, count] = rises > falls ? ["higher", rises] : ["lower", falls];
  const change = changeText(relativeChange(from, to));
  return `drift of ${subject} over ${runs} runs: ${drift!.verdict}: from ${
    inUnit(from, unit)
  } to ` +
    `${
      inUnit(to, unit)
    } (${change}); the later run was ${direction} in ${count} of ${pairs} pairs ` +
    `(${probabilityText(p)})`;
}

/** Formats a p-value with two significant digits: `p = 0.0083`. */
export function probabilityText(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${Number(p.toPrecision(2))}`;
}
