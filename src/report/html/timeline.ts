import type { TimelinePoint } from "../../engine/summary.ts";

/** The most points of a chart: one a second for an hour. */
const MOST = 3_600;

/**
 * What happened in a second. Of a longer stretch, counts are those of an average second, VUs and
 * percentiles those of the worst.
 */
export interface Moment extends Omit<TimelinePoint, "histogram"> {
  /** Requests that failed, of all, 0 to 1; null without requests. */
  readonly failedShare: number | null;
}

/** How many seconds of a timeline one point of a chart stands for. */
export function secondsAPoint(timeline: readonly TimelinePoint[]): number {
  return Math.ceil(timeline.length / MOST);
}

/** A timeline fit to be drawn: of a long run, several seconds are put together. */
export function moments(timeline: readonly TimelinePoint[]): Moment[] {
  const size = secondsAPoint(timeline);
  if (size <= 1) return timeline.map(moment);
  return Array.from(
    { length: Math.ceil(timeline.length / size) },
    (_, i) => moment(together(timeline.slice(i * size, (i + 1) * size))),
  );
}

function moment({ histogram: _, ...point }: TimelinePoint): Moment {
  const { requests, failed } = point;
  return { ...point, failedShare: requests === 0 ? null : failed / requests };
}

function together(points: readonly TimelinePoint[]): TimelinePoint {
  const most = (key: keyof Omit<TimelinePoint, "histogram">) =>
    Math.max(...points.map((point) => point[key]));
  const mean = (key: keyof Omit<TimelinePoint, "histogram">) =>
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
    histogram: "",
  };
}
