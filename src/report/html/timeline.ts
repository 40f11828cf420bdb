import type { TimelinePoint } from "../../engine/summary.ts";

/** The most points of a chart: one a second for an hour. */
const MOST = 3_600;

/** A point of a timeline without what is behind its percentiles. */
export type SecondPoint = Omit<TimelinePoint, "histogram">;
type Key = keyof SecondPoint;

/**
 * What happened in a second. Of a longer stretch, counts are those of an average second, VUs and
 * percentiles those of the worst.
 */
export interface SecondRow extends SecondPoint {
  readonly unsent: number;
  /** Requests that failed, of all sent and unsent, 0 to 1; null without any. */
  readonly failedShare: number | null;
}

/** How many seconds of a timeline one point of a chart stands for. */
export function secondsAPoint(timeline: readonly SecondPoint[]): number {
  return Math.ceil(timeline.length / MOST);
}

/** A timeline fit to be drawn: of a long run, several seconds are put together. */
export function secondRows(timeline: readonly SecondPoint[]): SecondRow[] {
  const size = secondsAPoint(timeline);
  if (size <= 1) return timeline.map((point) => moment(point));
  return Array.from(
    { length: Math.ceil(timeline.length / size) },
    (_, i) => moment(together(timeline.slice(i * size, (i + 1) * size))),
  );
}

function moment(
  { at, vus, scheduled, started, dropped, requests, failed, unsent = 0, p50, p95, p99 }:
    SecondPoint,
): SecondRow {
  const point = { at, vus, scheduled, started, dropped, requests, failed, unsent, p50, p95, p99 };
  const all = requests + unsent;
  return { ...point, failedShare: all === 0 ? null : failed / all };
}

/** Several points as one. */
export function together(points: readonly SecondPoint[]): SecondPoint {
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
    p50: most("p50"),
    p95: most("p95"),
    p99: most("p99"),
  };
}
