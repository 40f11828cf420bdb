import type { Histogram } from "../../base/histogram.ts";

/** A point of a percentile plot on HdrHistogram's scale. */
export interface PercentilePoint {
  /** 1 / (1 − share of the values at or below): 1 is the fastest, 10 the 90th percentile, 100 the 99th. */
  readonly at: number;
  readonly ms: number;
}

/** Points to each doubling of the scale. */
const STEPS = 8;

/** The curve from the fastest to the slowest of a histogram in µs, as many points as it can tell apart. */
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

/** Several curves over one axis: where a curve has no point of its own, it has none. */
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
