import type { Histogram } from "../../base/histogram.ts";
import { PERCENTILES } from "../../engine/summary/codes.ts";
import { type Estimate, inMs, percentileEstimate, shareEstimate } from "./change.ts";
import { compareRuns, type RunChange, type RunComparison } from "./compare_runs.ts";
import { runTotals } from "./compared_metrics.ts";
import {
  type ComparedRun,
  coverSamePart,
  hasNoResponse,
  partialReasons,
} from "./run_differences.ts";
import {
  type Column,
  nameCell,
  type Section,
  tableSection,
  type Unit,
  unitCell,
} from "../blocks.ts";
import { thresholdCounts } from "../summary_words.ts";

/** Values of a metric over all requests in several runs, in the order of the runs. */
export interface MetricHistory {
  readonly label: string;
  readonly unit: Unit;
  /** Value of each run. Undefined if the run has no value that can be compared. */
  readonly values: readonly (Estimate | undefined)[];
}

/** Comparison of the last of several runs with an earlier one. */
export interface EarlierComparison extends Pick<RunComparison, "changes" | "broken"> {
  /** The numbers of the runs, such as `Run 3 compared with run 1 (the first run)`. */
  readonly title: string;
  /** Reason for the verdict. It may contain recorded text, which is not escaped. */
  readonly reason: string;
}

/**
 * Compares the last of at least three runs with the previous and the first run. It is `worse` if it
 * is worse than one of them.
 */
export function compareHistory(
  runs: readonly ComparedRun[],
): { readonly change: RunChange; readonly comparisons: readonly EarlierComparison[] } {
  const last = runs[runs.length - 1];
  const earlier = [["previous", runs.length - 1], ["first", 1]] as const;
  const comparisons = earlier.map(([which, number]) => {
    const { file, summary } = runs[number - 1];
    const { details, ...found } = compareRuns(summary, last.summary);
    return {
      ...found,
      title: `Run ${runs.length} compared with run ${number} (the ${which} run)`,
      reason: `compared with the ${which} run, ${file}: ${found.change}: ${details}`,
    };
  });
  const [previous, first] = comparisons.map(({ change }) => change);
  const worst = (["worse", "not comparable"] as const)
    .find((change) => previous === change || first === change);
  return { change: worst ?? first, comparisons };
}

function knownEstimate(durations: Histogram, percent: number): Estimate | undefined {
  const estimate = percentileEstimate(durations, percent);
  return estimate.high === Infinity ? undefined : inMs(estimate);
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

/** Lists the metrics of each run. */
export function runsSection(runs: readonly ComparedRun[]): Section {
  const files = withoutCommonFolder(runs.map(({ file }) => file));
  const metrics = metricHistories(runs).map(({ label, unit, values }): Column<number> => ({
    title: label,
    cell: (run) => unitCell(values[run]?.value, unit),
  }));
  return tableSection(
    "Runs",
    [
      { title: "Run", cell: (run) => ({ text: String(run + 1), value: run + 1 }) },
      { title: "File", long: "cut", cell: (run) => nameCell(files[run]) },
      ...metrics,
      {
        title: "Result",
        cell: (run) => {
          const [tone, text] = thresholdCounts(runs[run].summary);
          return { text, tone: tone === "" ? undefined : tone };
        },
      },
    ],
    [...runs.keys()],
  );
}

function withoutCommonFolder(paths: readonly string[]): string[] {
  let end = 0;
  for (let i = 0; paths.every((path) => path[i] === paths[0][i] && i < path.length - 1); i++) {
    if (paths[0][i] === "/" || paths[0][i] === "\\") end = i + 1;
  }
  return paths.map((path) => path.slice(end));
}
