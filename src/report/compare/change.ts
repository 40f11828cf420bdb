import { formatNumber, percent } from "../../base/format.ts";
import type { Histogram } from "../../base/histogram.ts";

/** An estimate with its 99% confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Verdict on a change in a metric where lower is better. `within noise` means that the change is
 * not significant. `not enough data` means that a run has too few values, so that a confidence
 * interval has no upper bound; comparisons leave such a percentile out.
 */
export type ChangeVerdict = "worse" | "better" | "within noise" | "not enough data";

/** Half-width, in standard deviations, of a 99% confidence interval for a normal distribution. */
const DEVIATIONS = 2.576;
/**
 * Minimum relative change that counts as significant. Repeated runs of an unchanged system usually
 * differ by less.
 */
const MIN_CHANGE = 0.05;
/**
 * Minimum change in a response time that counts as significant, in ms. If a target responds within
 * 0.1 ms, even identical runs differ by several percent, because of the load generator.
 */
const MIN_TIME_CHANGE = 0.1;

/**
 * Estimates a percentile (50 to 100) from a histogram. The confidence interval is based on order
 * statistics. It has no upper bound if there are too few values above the percentile: with fewer
 * than 8 values for p50, 104 for p95, and 528 for p99. Without values, the interval is unbounded.
 */
export function percentileEstimate(histogram: Histogram, percentile: number): Estimate {
  const { count } = histogram;
  if (count === 0) return { value: 0, low: 0, high: Infinity };
  const [least, most] = count <= MAX_EXACT
    ? exactRanks(count, percentile / 100)
    : normalRanks(count, percentile / 100);
  return {
    value: histogram.percentile(percentile),
    low: least < 1 ? 0 : atRank(histogram, least),
    high: most > count ? Infinity : atRank(histogram, most),
  };
}

/** Returns the value at `rank`. The lowest value has rank 1. */
function atRank(histogram: Histogram, rank: number): number {
  return histogram.percentile(100 * (rank - 0.5) / histogram.count);
}

/** Maximum number of values for which the ranks of a confidence interval are computed exactly. */
const MAX_EXACT = 1_000;
/** Maximum probability that a percentile is above, or below, its 99% confidence interval. */
const TAIL = 0.005;

/**
 * Returns the ranks of the 99% confidence interval of the quantile `share` (0.5 to 1) of `count`
 * values. The number of values above the quantile has a binomial distribution.
 */
function exactRanks(count: number, share: number): [least: number, most: number] {
  let above = 0;
  let odds = share ** count;
  let atMost = odds;
  let most = count + 1;
  while (atMost < 1 - TAIL && above < count) {
    if (atMost <= TAIL) most = count - above;
    odds *= (count - above) / (above + 1) * (1 - share) / share;
    atMost += odds;
    above++;
  }
  return [count - above, most];
}

/** Approximates the ranks that `exactRanks` returns, using a normal distribution. */
function normalRanks(count: number, share: number): [least: number, most: number] {
  const off = DEVIATIONS * Math.sqrt(share * (1 - share) * count);
  return [Math.floor(share * count - off), Math.ceil(share * count + off)];
}

/**
 * Estimates the share `hits / of`, with its 99% confidence interval (Wilson score). If `of` is 0,
 * the interval is unbounded.
 */
export function shareEstimate(hits: number, of: number): Estimate {
  if (of === 0) return { value: 0, low: 0, high: Infinity };
  const value = hits / of;
  const square = DEVIATIONS ** 2 / of;
  const middle = (value + square / 2) / (1 + square);
  const half = DEVIATIONS / (1 + square) * Math.sqrt(value * (1 - value) / of + square / of / 4);
  return { value, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * Classifies a change in a metric where lower is better. The change is significant if the
 * confidence intervals do not overlap and the values differ by at least 5% and by at least
 * `minimum`, in the unit of the values. There is not enough data if a confidence interval has no
 * upper bound.
 */
export function classifyChange(before: Estimate, after: Estimate, minimum = 0): ChangeVerdict {
  if (Math.max(before.high, after.high) === Infinity) return "not enough data";
  const moved = Math.abs(after.value - before.value);
  const isLarge = moved >= Math.max(minimum, MIN_CHANGE * Math.max(before.value, after.value));
  if (isLarge && after.low > before.high) return "worse";
  if (isLarge && after.high < before.low) return "better";
  return "within noise";
}

/** Classifies a change in a response time in ms, which must also be at least 0.1 ms. */
export function classifyTimeChange(before: Estimate, after: Estimate): ChangeVerdict {
  return classifyChange(before, after, MIN_TIME_CHANGE);
}

/** Minimum ratio of two values that is shown as a factor instead of a percentage. */
const LEAST_FACTOR = 10;

/**
 * Formats a relative change with a sign: `+12.00%`, `−3.50%`. If the new value is at least 10 times
 * the old one, returns the factor instead, such as `77 times`. Returns `–` if the change is
 * undefined.
 */
export function changeText(change: number | undefined): string {
  if (change === undefined) return "–";
  const factor = 1 + change;
  if (factor >= LEAST_FACTOR) return `${formatNumber(Number(factor.toPrecision(2)))} times`;
  return `${change < 0 ? "−" : "+"}${percent(Math.abs(change))}`;
}
