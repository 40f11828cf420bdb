import type { Histogram } from "../../base/histogram.ts";

/** A point in a percentile plot with a log scale, like those that HdrHistogram draws. */
export interface PercentilePoint {
  /**
   * Position on the scale: 1 / (1 − percentile / 100). The minimum is at 1, p90 at 10 and p99 at
   * 100.
   */
  readonly at: number;
  readonly ms: number;
}

/**
 * Number of points on the percentile curve for each halving of the fraction of slower requests,
 * such as from p90 to p95.
 */
const STEPS = 8;

/**
 * Returns the percentile curve of a histogram of times in µs, from the minimum to the maximum.
 * Returns an empty array for an empty histogram.
 */
export function percentileCurve(histogram: Histogram): PercentilePoint[] {
  const { count } = histogram;
  if (count === 0) return [];
  const points: PercentilePoint[] = [];
  for (let at = 1, k = 0; at < count; at = 2 ** (++k / STEPS)) {
    const ms = at === 1 ? histogram.min : histogram.percentile(100 - 100 / at);
    points.push({ at: Number(at.toPrecision(6)), ms: ms / 1_000 });
  }
  return [...points, { at: count, ms: histogram.max / 1_000 }];
}

/**
 * Merges the x-values of several curves into one x-axis. The value of a curve is null where the
 * curve has no point.
 */
export function alignCurves(
  curves: readonly (readonly PercentilePoint[])[],
): { readonly x: number[]; readonly values: (number | null)[][] } {
  const x = [...new Set(curves.flatMap((curve) => curve.map(({ at }) => at)))].sort((a, b) =>
    a - b
  );
  const values = curves.map((curve) => {
    const known = new Map(curve.map(({ at, ms }) => [at, ms]));
    return x.map((at) => known.get(at) ?? null);
  });
  return { x, values };
}
