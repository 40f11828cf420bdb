import type { TimelinePoint } from "../../engine/summary.ts";

/** The most points of a chart: one a second for an hour. */
const MOST = 3_600;

/** A point of a timeline without what is behind its percentiles. */
export type SecondPoint = Omit<TimelinePoint, "histogram">;

/**
 * What happened in a second. Of a longer stretch, counts are those of an average second, VUs and
 * percentiles those of the worst.
 */
export interface Moment extends SecondPoint {
  /** Requests that failed, of all, 0 to 1; null without requests. */
  readonly failedShare: number | null;
}

/** How many seconds of a timeline one point of a chart stands for. */
export function secondsAPoint(timeline: readonly SecondPoint[]): number {
  return Math.ceil(timeline.length / MOST);
}

/** A timeline fit to be drawn: of a long run, several seconds are put together. */
export function moments(timeline: readonly SecondPoint[]): Moment[] {
  const size = secondsAPoint(timeline);
  if (size <= 1) return timeline.map((point) => moment(point));
  return Array.from(
    { length: Math.ceil(timeline.length / size) },
    (_, i) => moment(together(timeline.slice(i * size, (i + 1) * size))),
  );
}

function moment(
  { at, vus, asked, started, dropped, requests, failed, p50, p95, p99 }: SecondPoint,
) {
  const point = { at, vus, asked, started, dropped, requests, failed, p50, p95, p99 };
  return { ...point, failedShare: requests === 0 ? null : failed / requests };
}

/** Several points as one. */
export function together(points: readonly SecondPoint[]): SecondPoint {
  const most = (key: keyof SecondPoint) => Math.max(...points.map((point) => point[key]));
  const mean = (key: keyof SecondPoint) =>
    Number((points.reduce((sum, point) => sum + point[key], 0) / points.length).toPrecision(6));
  return {
    at: most("at"),
    vus: most("vus"),
    asked: mean("asked"),
    started: mean("started"),
    dropped: mean("dropped"),
    requests: mean("requests"),
    failed: mean("failed"),
    p50: most("p50"),
    p95: most("p95"),
    p99: most("p99"),
  };
}
