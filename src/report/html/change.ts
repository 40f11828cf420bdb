import type { Histogram } from "../../base/histogram.ts";

/** A figure with the range in which chance alone could have put it. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What became of a figure of which less is better. */
export type ChangeVerdict = "worse" | "better" | "within noise";

/** Of the normal distribution: 99 % of what chance does stays within so many deviations. */
const DEVIATIONS = 2.576;
/** Two runs of the same system differ by this share without any cause that is looked for. */
const LEAST = 0.05;

/** A percentile of a histogram; its range is that of the order statistics around it, at 99 %. */
export function percentileEstimate(histogram: Histogram, percent: number): Estimate {
  const { count } = histogram;
  const share = percent / 100;
  const off = count === 0 ? 0 : 100 * DEVIATIONS * Math.sqrt(share * (1 - share) / count);
  // Where there are too few values above, the range is open to that side.
  const high = percent + off >= 100 ? Infinity : histogram.percentile(percent + off);
  return {
    value: histogram.percentile(percent),
    low: histogram.percentile(Math.max(0, percent - off)),
    high,
  };
}

/** A share of `hits` in `of`; its range is Wilson's, at 99 %. */
export function shareEstimate(hits: number, of: number): Estimate {
  if (of === 0) return { value: 0, low: 0, high: 1 };
  const value = hits / of;
  const square = DEVIATIONS ** 2 / of;
  const middle = (value + square / 2) / (1 + square);
  const half = DEVIATIONS / (1 + square) * Math.sqrt(value * (1 - value) / of + square / of / 4);
  return { value, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * Whether a figure, of which less is better, changed by more than chance: the two ranges do not meet
 * and it moved by 5 % at least.
 */
export function judgeChange(before: Estimate, after: Estimate): ChangeVerdict {
  const moved = Math.abs(after.value - before.value);
  if (moved < LEAST * Math.max(before.value, after.value)) return "within noise";
  if (after.low > before.high) return "worse";
  if (after.high < before.low) return "better";
  return "within noise";
}

/** How much more `after` is than `before`, as a share of it; undefined where that says nothing. */
export function growth(before: number, after: number): number | undefined {
  return before === 0 ? undefined : (after - before) / before;
}
