import type { Histogram } from "../../base/histogram.ts";
import { PERCENTILES } from "../../engine/summary/codes.ts";
import { thresholdCounts } from "../summary_words.ts";
import { type Estimate, inMs, percentileEstimate, shareEstimate } from "./change.ts";
import { compareRuns, type RunChange } from "./compare_runs.ts";
import { runTotals } from "./compared_totals.ts";
import { type ComparisonTable, nameCell, valueCell } from "./comparison_tables.ts";
import { coverSamePart, hasNoResponse, partialReasons } from "./doubts.ts";
import { changesTable } from "./metric_changes.ts";
import type { ComparedRun } from "./run_differences.ts";
import { inUnit, type Unit } from "./unit.ts";

/** Values of a metric over all requests in several runs, in the order of the runs. */
export interface MetricHistory {
  readonly label: string;
  readonly unit: Unit;
  /** Value of each run. Undefined if the run has no value that can be compared. */
  readonly values: readonly (Estimate | undefined)[];
}

/** Result of comparing several runs. */
export interface RunHistory {
  /** Verdict on the last run: `worse` if it is worse than the first or the previous run. */
  readonly change: RunChange;
  /** Reasons for the verdict. They may contain recorded text, which is not escaped. */
  readonly reasons: readonly string[];
  /** Significant changes since the previous and the first run, and the metrics of each run. */
  readonly tables: readonly ComparisonTable[];
}

/** Compares the last of at least three runs with the previous and the first run. */
export function compareHistory(runs: readonly ComparedRun[]): RunHistory {
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
      reason: `compared with the ${which} run, ${file}: ${change}: ${details}`,
      table: changesTable(title, changes, broken),
    };
  });
  const [previous, first] = comparisons.map(({ change }) => change);
  const worst = (["worse", "not comparable"] as const)
    .find((change) => previous === change || first === change);
  return {
    change: worst ?? first,
    reasons: comparisons.map(({ reason }) => reason),
    tables: [
      ...comparisons.map(({ table }) => table).filter(({ rows }) => rows.length > 0),
      runsTable(runs),
    ],
  };
}

/** Creates a table with one row for each run. */
function runsTable(runs: readonly ComparedRun[]): ComparisonTable {
  const files = withoutCommonFolder(runs.map(({ file }) => file));
  const metrics = metricHistories(runs);
  return {
    title: "Runs",
    columns: ["Run", "File", ...metrics.map(({ label }) => label), "Result"],
    rows: runs.map(({ summary }, i) => {
      const [tone, result] = thresholdCounts(summary);
      return [
        { text: String(i + 1) },
        nameCell(files[i]),
        ...metrics.map(({ values, unit }) =>
          valueCell(values[i], ({ value }) => inUnit(value, unit))
        ),
        tone === "" ? { text: result } : { text: result, tone },
      ];
    }),
  };
}

function knownEstimate(durations: Histogram, percent: number): Estimate | undefined {
  const estimate = percentileEstimate(durations, percent);
  return estimate.high === Infinity ? undefined : inMs(estimate);
}

/** Removes the folders that all paths have in common. */
function withoutCommonFolder(paths: readonly string[]): string[] {
  let end = 0;
  for (let i = 0; paths.every((path) => path[i] === paths[0][i] && i < path.length - 1); i++) {
    if (paths[0][i] === "/" || paths[0][i] === "\\") end = i + 1;
  }
  return paths.map((path) => path.slice(end));
}

/**
 * Returns the metrics of each run over all requests. An incomplete run has a different load, so it
 * has no values, unless all runs cover the same part of their plans. A run in which no request got
 * a response has no response times: the recorded times are those of failed connections.
 */
export function metricHistories(runs: readonly ComparedRun[]): MetricHistory[] {
  const isSamePart = runs.every(({ summary }) => coverSamePart(runs[0].summary, summary));
  const totals = runs.map(({ summary }) => ({
    ...runTotals(summary),
    isKnown: isSamePart || partialReasons(summary).length === 0,
    hasTimes: !hasNoResponse(summary) && summary.endpoints.some(({ count }) => count > 0),
  }));
  type Totals = typeof totals[number];
  const metric = (label: string, unit: Unit, read: (run: Totals) => Estimate | undefined) => ({
    label,
    unit,
    values: totals.map((run) => run.isKnown ? read(run) : undefined),
  });
  const exact = (value: number): Estimate => ({ value, low: value, high: value });
  return [
    ...Object.entries(PERCENTILES).map(([label, percent]) =>
      metric(
        label,
        "time",
        ({ hasTimes, durations }) => hasTimes ? knownEstimate(durations, percent) : undefined,
      )
    ),
    metric(
      "Failed",
      "share",
      ({ failed }) => failed.of > 0 ? shareEstimate(failed.count, failed.of) : undefined,
    ),
    metric("Requests/s", "number", ({ rate }) => exact(rate)),
    metric("Failures", "count", ({ failed }) => exact(failed.count)),
  ];
}
