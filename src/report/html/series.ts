import { mapPercentiles } from "../../engine/summary/codes.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";
import type { EndpointSeries } from "../../engine/summary/flow_stats.ts";
import type { Histogram } from "../../base/histogram.ts";

/** Maximum number of points in a chart: one point per second for an hour. */
const MAX_POINTS = 3_600;

/** A point of a timeline without its histogram. */
export type SecondPoint = Omit<TimelinePoint, "histogram">;
type Key = keyof SecondPoint;

/**
 * Metrics at one point in a chart. If a point covers several seconds, its counts are averages per
 * second, and its VUs and percentiles are the maximums over these seconds.
 */
export interface SecondRow extends SecondPoint {
  readonly unsent: number;
  /**
   * Share of the requests that failed, from 0 to 1, including unsent requests. Null if there were
   * no requests.
   */
  readonly failedShare: number | null;
}

/** Returns the number of seconds that each point of a chart covers. */
export function secondsPerPoint(timeline: readonly SecondPoint[]): number {
  return Math.max(1, Math.ceil(timeline.length / MAX_POINTS));
}

/**
 * Converts a timeline to the points of a chart. If the run is longer than an hour, each point
 * covers several seconds. `durationMs` is the duration of the run (default: until the end of the
 * last second of the timeline). The rates of the last point are based only on the time before the
 * run ended.
 */
export function secondRows(timeline: readonly SecondPoint[], durationMs = Infinity): SecondRow[] {
  const size = secondsPerPoint(timeline);
  return chartPoints(timeline.length, 1, durationMs, size).map(({ from, to, seconds }) =>
    toRow(
      mergePoints(timeline.slice(from, to), seconds),
      timeline[Math.min(from + size, timeline.length) - 1].at,
    )
  );
}

function toRow(point: SecondPoint, at: number): SecondRow {
  const { vus, scheduled, started, dropped, requests, failed, unsent = 0 } = point;
  const counts = { at, vus, scheduled, started, dropped, requests, failed, unsent };
  const percentiles = mapPercentiles((_, key) => point[key]);
  const all = requests + unsent;
  return { ...counts, ...percentiles, failedShare: all === 0 ? null : failed / all };
}

/**
 * Merges several points, which together cover `seconds` seconds, into one. The counts of the merged
 * point are averages per second, and its VUs and percentiles are the maximums.
 */
export function mergePoints(
  points: readonly SecondPoint[],
  seconds: number = points.length,
): SecondPoint {
  const most = (key: Key) => Math.max(...points.map((point) => point[key] ?? 0));
  const mean = (key: Key) => {
    const sum = points.reduce((sum, point) => sum + (point[key] ?? 0), 0);
    return seconds === 1 || sum === 0 ? sum : Number((sum / (seconds || 1)).toPrecision(6));
  };
  return {
    at: most("at"),
    vus: most("vus"),
    scheduled: mean("scheduled"),
    started: mean("started"),
    dropped: mean("dropped"),
    requests: mean("requests"),
    failed: mean("failed"),
    unsent: mean("unsent"),
    ...mapPercentiles((_, key) => most(key)),
  };
}

/** Maximum number of points of a run in progress, which each browser gets every second. */
const MAX_LIVE_POINTS = 600;

/** Adds a point to the timeline of a run in progress. Merges the points of a full one in pairs. */
export function addPoint(points: readonly SecondPoint[], point: SecondPoint): SecondPoint[] {
  if (points.length < MAX_LIVE_POINTS) return [...points, point];
  const pairs = Array.from(
    { length: Math.ceil(points.length / 2) },
    (_, i) => mergePoints(points.slice(2 * i, 2 * i + 2)),
  );
  return [...pairs, point];
}

/** The part of a run that is shown as one point in a chart over time. */
export interface SeriesPoint {
  /** Intervals that the point covers: `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Number of seconds of the run that the intervals cover; greater than 0. */
  readonly seconds: number;
  /** End of the planned part, in seconds after the start of the run. */
  readonly at: number;
}

/**
 * Divides `length` intervals of `step` seconds into points of `size` intervals. If the run covers
 * less than half of the last point, that point is merged with the previous one. On its own, its
 * rates would vary too much.
 */
function chartPoints(length: number, step: number, durationMs: number, size = 1): SeriesPoint[] {
  const covered = (from: number, to: number) =>
    Math.max(0, Math.min(to * step, durationMs / 1_000) - from * step);
  const starts = Array.from({ length: Math.ceil(length / size) }, (_, i) => i * size);
  if (starts.length > 1 && covered(starts.at(-1)!, length) < size * step / 2) starts.pop();
  return starts.map((from, i) => {
    const to = starts[i + 1] ?? length;
    // Counts after the end of the run are those of whole intervals.
    const seconds = covered(from, to) || (to - from) * step;
    return { from, to, seconds, at: (from + size) * step };
  });
}

/** Returns the points of an endpoint's chart: one for each interval of its series. */
export function seriesPoints(
  { step, count }: Pick<EndpointSeries, "step" | "count">,
  durationMs: number,
): SeriesPoint[] {
  return chartPoints(count.length, step, durationMs);
}

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
