import { Histogram, mergeHistograms } from "../../base/histogram.ts";
import { decodeHistogram, encodeHistogram } from "../../base/histogram_encoding.ts";
import type { TimelinePoint } from "../summary.ts";

/** What is counted in a second, beside its histogram. */
export type CountsPerSecond = Omit<TimelinePoint, "p50" | "p95" | "p99" | "histogram">;

/**
 * The point of one second; `histogram` is of `http_req_duration` in µs. It is kept encoded: a day has
 * 86,400 of them.
 */
export function timelinePoint(counts: CountsPerSecond, histogram: Histogram): TimelinePoint {
  const ms = (percent: number) => histogram.percentile(percent) / 1_000;
  return {
    ...counts,
    p50: ms(50),
    p95: ms(95),
    p99: ms(99),
    histogram: encodeHistogram(histogram),
  };
}

/**
 * Makes a point in vain: the first takes several milliseconds, and whatever is due meanwhile would
 * start late.
 */
export function warmUpTimeline(): void {
  const histogram = new Histogram();
  for (let value = 0; value < 1_000; value++) histogram.record(value);
  const counts = { at: 0, vus: 0, scheduled: 0, started: 0, dropped: 0, requests: 0, failed: 0 };
  timelinePoint(counts, histogram.since(new Histogram()));
}

/** Adds up the same second of several shares (at least one). */
export function mergeSeconds(seconds: readonly TimelinePoint[]): TimelinePoint {
  if (seconds.length === 1) return seconds[0];
  const sum = (of: (second: TimelinePoint) => number) =>
    seconds.reduce((total, second) => total + of(second), 0);
  return timelinePoint({
    at: seconds[0].at,
    vus: sum(({ vus }) => vus),
    scheduled: sum(({ scheduled }) => scheduled),
    started: sum(({ started }) => started),
    dropped: sum(({ dropped }) => dropped),
    requests: sum(({ requests }) => requests),
    failed: sum(({ failed }) => failed),
    unsent: sum(({ unsent = 0 }) => unsent),
  }, mergeHistograms(...seconds.map(({ histogram }) => decodeHistogram(histogram).data())));
}

/** The timeline of several shares: each second added up, in order. */
export function mergeTimelines(timelines: readonly (readonly TimelinePoint[])[]): TimelinePoint[] {
  const seconds = Map.groupBy(timelines.flat(), ({ at }) => at);
  return [...seconds.values()].map(mergeSeconds).sort((a, b) => a.at - b.at);
}
