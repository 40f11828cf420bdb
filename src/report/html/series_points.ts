import type { EndpointSeries } from "../../engine/summary/flow_stats.ts";

/** The part of a run that is shown as one point in an endpoint's chart over time. */
export interface SeriesPoint {
  /** Intervals of the series that the point covers: `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Number of seconds of the run that the intervals cover; greater than 0. */
  readonly seconds: number;
  /** End of the first interval that the point covers, in seconds after the start of the run. */
  readonly at: number;
}

/**
 * Returns the points of a chart: one for each interval. If the run covers less than half of the
 * last interval, that interval is merged with the previous one. On its own, its rates would vary
 * too much.
 */
export function seriesPoints(
  { step, count }: Pick<EndpointSeries, "step" | "count">,
  durationMs: number,
): SeriesPoint[] {
  const covered = (from: number, to: number) =>
    Math.max(0.001, Math.min(to * step, durationMs / 1_000) - from * step);
  const { length } = count;
  const isShort = length > 1 && covered(length - 1, length) < step / 2;
  const whole = isShort ? length - 1 : length;
  return Array.from({ length: whole }, (_, from) => {
    const to = isShort && from === whole - 1 ? length : from + 1;
    return { from, to, seconds: covered(from, to), at: (from + 1) * step };
  });
}

/** Adds up the `values` of the intervals that a point covers. */
export function sumOver(
  { from, to }: Pick<SeriesPoint, "from" | "to">,
  values: readonly number[],
): number {
  return values.slice(from, to).reduce((sum, n) => sum + n, 0);
}
