import type { ChangeVerdict, Estimate } from "./change.ts";
import { median, type RankTrend, rankTrend } from "./rank_trend.ts";

/**
 * Verdict on the drift of a metric over several runs. `unknown` means that too few runs have a
 * value.
 */
export type DriftVerdict = ChangeVerdict | "unknown";

/** Change in a metric over several runs. Lower values of the metric are better. */
export interface Drift {
  readonly verdict: DriftVerdict;
  /** Number of runs that have a value. */
  readonly runs: number;
  readonly trend: RankTrend;
  /**
   * Value of the fitted line (Theil–Sen) at the first run (`from`) or the last run (`to`). At least
   * 0.
   */
  readonly from: number;
  readonly to: number;
}

/**
 * Minimum number of runs to detect a drift. With fewer runs, even a steady rise is not enough
 * evidence: values in random order rise every time with a probability of 0.8% for 5 values and
 * 0.14% for 6 values.
 */
export const MIN_DRIFT_RUNS = 6;

/** Expected share of false drifts among the drifts found. */
export const DRIFT_ERROR_RATE = 0.01;

/**
 * Minimum relative change of the fitted line that counts as a drift. It is the same as for a
 * comparison of two runs.
 */
const MIN_CHANGE = 0.05;

/**
 * Judges the drift of a metric. Each item of `values` belongs to one run; undefined means that the
 * run has no value. The metric drifts if its trend is significant (`p` at most `limit`) and the
 * fitted line changes by at least 5% and by at least `minimum`, in the unit of the values.
 */
export function judgeDrift(
  values: readonly (Estimate | undefined)[],
  limit = DRIFT_ERROR_RATE,
  minimum = 0,
): Drift {
  const known = values.flatMap((estimate, at) => estimate ? [{ at, value: estimate.value }] : []);
  const trend = rankTrend(known.map(({ value }) => value), known.map(({ at }) => at));
  const base = median(known.map(({ at, value }) => value - trend.slope * at));
  const last = Math.max(0, values.length - 1);
  const [from, to] = [0, last].map((at) => Math.max(0, base + trend.slope * at));
  const least = Math.max(minimum, MIN_CHANGE * Math.max(from, to));
  const isLarge = Math.abs(to - from) >= least && to !== from;
  const verdict = known.length < MIN_DRIFT_RUNS
    ? "unknown"
    : trend.p > limit || !isLarge
    ? "within noise"
    : trend.slope > 0
    ? "worse"
    : "better";
  return { verdict, runs: known.length, trend, from, to };
}
