import { mapPercentiles } from "../../engine/summary/codes.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";

/** Maximum number of points in a chart: one point per second for an hour. */
const MAX_POINTS = 3_600;

/** A point of a timeline without its histogram. */
export type SecondPoint = Omit<TimelinePoint, "histogram">;
type Key = keyof SecondPoint;

/**
 * Metrics at one point of a chart. If a point covers several seconds, its counts are averages per
 * second. Its VUs and percentiles are the maximums of these seconds.
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
  return Math.ceil(timeline.length / MAX_POINTS);
}

/**
 * Converts a timeline to the points of a chart. If the run is longer than an hour, each point
 * covers several seconds.
 */
export function secondRows(timeline: readonly SecondPoint[]): SecondRow[] {
  const size = secondsPerPoint(timeline);
  if (size <= 1) return timeline.map((point) => toRow(point));
  return Array.from(
    { length: Math.ceil(timeline.length / size) },
    (_, i) => toRow(mergePoints(timeline.slice(i * size, (i + 1) * size))),
  );
}

function toRow(point: SecondPoint): SecondRow {
  const { at, vus, scheduled, started, dropped, requests, failed, unsent = 0 } = point;
  const counts = { at, vus, scheduled, started, dropped, requests, failed, unsent };
  const percentiles = mapPercentiles((_, key) => point[key]);
  const all = requests + unsent;
  return { ...counts, ...percentiles, failedShare: all === 0 ? null : failed / all };
}

/**
 * Merges several points into one. Averages their counts, and takes the maximums of their VUs and
 * percentiles.
 */
export function mergePoints(points: readonly SecondPoint[]): SecondPoint {
  const most = (key: Key) => Math.max(...points.map((point) => point[key] ?? 0));
  const mean = (key: Key) =>
    Number(
      (points.reduce((sum, point) => sum + (point[key] ?? 0), 0) / points.length).toPrecision(6),
    );
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
