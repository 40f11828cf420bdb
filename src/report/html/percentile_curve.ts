import type { Histogram } from "../../base/histogram.ts";

/** A point of a percentile plot on HdrHistogram's log scale. */
export interface PercentilePoint {
  /**
   * Position on the scale, computed as 1 / (1 − percentile / 100): 1 is the minimum, 10 is p90, 100
   * is p99.
   */
  readonly at: number;
  readonly ms: number;
}

/** Number of points for each doubling of the scale. */
const STEPS = 8;

/** Returns the percentile curve of a histogram in µs, from minimum to maximum; empty without values. */
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

/** Merges the positions of several curves into one axis. A curve is null at positions it lacks. */
export function onOneAxis(
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
