import { mapPercentiles } from "../../engine/summary/codes.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";

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
 * run ended. If the run covers less than half of the seconds of the last point, that point is
 * merged with the previous one, because its rates would vary too much.
 */
export function secondRows(timeline: readonly SecondPoint[], durationMs = Infinity): SecondRow[] {
  const size = secondsPerPoint(timeline);
  const starts = Array.from({ length: Math.ceil(timeline.length / size) }, (_, i) => i * size);
  const covered = (points: readonly SecondPoint[]) =>
    points.reduce((sum, { at }) => sum + Math.min(1, Math.max(0, durationMs / 1_000 - at + 1)), 0);
  if (starts.length > 1 && covered(timeline.slice(starts.at(-1))) < size / 2) starts.pop();
  return starts.map((start, i) => {
    const points = timeline.slice(start, starts[i + 1]);
    return toRow(
      mergePoints(points, covered(points)),
      points[Math.min(size, points.length) - 1].at,
    );
  });
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
