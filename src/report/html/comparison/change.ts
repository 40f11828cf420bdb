import type { Histogram } from "../../../base/histogram.ts";

/** An estimated value with its 99% confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Change of a metric for which lower values are better. */
export type ChangeVerdict = "worse" | "better" | "within noise";

/** Standard deviations of the normal distribution that cover 99% of the samples. */
const DEVIATIONS = 2.576;
/** Minimum relative change that counts: repeated runs of the same system differ by less. */
const LEAST = 0.05;

/** Estimates a percentile of a histogram. The confidence interval is that of the order statistics. */
export function percentileEstimate(histogram: Histogram, percent: number): Estimate {
  const { count } = histogram;
  const share = percent / 100;
  const off = count === 0 ? 0 : 100 * DEVIATIONS * Math.sqrt(share * (1 - share) / count);
  // With too few values above the percentile, the interval has no upper end.
  const high = percent + off >= 100 ? Infinity : histogram.percentile(percent + off);
  return {
    value: histogram.percentile(percent),
    low: histogram.percentile(Math.max(0, percent - off)),
    high,
  };
}

/** Estimates the fraction `hits / of` with its Wilson confidence interval. */
export function shareEstimate(hits: number, of: number): Estimate {
  if (of === 0) return { value: 0, low: 0, high: 1 };
  const value = hits / of;
  const square = DEVIATIONS ** 2 / of;
  const middle = (value + square / 2) / (1 + square);
  const half = DEVIATIONS / (1 + square) * Math.sqrt(value * (1 - value) / of + square / of / 4);
  return { value, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * Reports whether a metric changed significantly: the confidence intervals do not overlap, and it changed
 * by at least 5%. Lower values are better.
 */
export function judgeChange(before: Estimate, after: Estimate): ChangeVerdict {
  const moved = Math.abs(after.value - before.value);
  if (moved < LEAST * Math.max(before.value, after.value)) return "within noise";
  if (after.low > before.high) return "worse";
  if (after.high < before.low) return "better";
  return "within noise";
}

/** Returns the relative change from `before` to `after`; undefined if `before` is 0. */
export function growth(before: number, after: number): number | undefined {
  return before === 0 ? undefined : (after - before) / before;
}
