import { Histogram, mergeHistograms } from "../../base/histogram.ts";
import { decodeHistogram, encodeLater } from "../../base/histogram_codec.ts";
import { mapPercentiles, type PercentileKey } from "../summary/codes.ts";
import type { TimelinePoint } from "../summary/summary.ts";

/** Counts of a one-second interval, without its percentiles and histogram. */
export type CountsPerSecond = Omit<TimelinePoint, PercentileKey | "histogram">;

/**
 * Returns the timeline point of a one-second interval. `histogram` contains `http_req_duration` in
 * µs. To save memory, the point stores the histogram in encoded form: a run of one day has 86,400
 * points. The encoded form is compressed only when the property `histogram` is read, because most
 * runs do not export their timeline.
 */
export function timelinePoint(counts: CountsPerSecond, histogram: Histogram): TimelinePoint {
  const encoded = encodeLater(histogram);
  return {
    ...counts,
    ...percentilesMs(histogram),
    get histogram() {
      return encoded();
    },
  };
}

/**
 * Returns the percentiles of a timeline point in ms; all 0 if the histogram is empty. `histogram`
 * is in µs.
 */
export function percentilesMs(histogram: Histogram): Pick<TimelinePoint, PercentileKey> {
  return mapPercentiles((percent) => histogram.percentile(percent) / 1_000);
}

/**
 * Computes a timeline point and discards it. Call this before the run, because the first
 * computation takes several milliseconds and would delay iterations that are due. `compresses`
 * states whether the histograms are compressed during the run.
 */
export function warmUpTimeline(compresses: boolean): void {
  const histogram = new Histogram();
  for (let value = 0; value < 1_000; value++) histogram.record(value);
  const counts = { at: 0, vus: 0, scheduled: 0, started: 0, dropped: 0, requests: 0, failed: 0 };
  const point = timelinePoint(counts, histogram.since(new Histogram()));
  if (compresses) void point.histogram;
}

/** Merges the timeline points of one or more shards for the same one-second interval. */
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

/**
 * Merges the timelines of several shards. Adds up the points of each one-second interval and sorts
 * the result by time.
 */
export function mergeTimelines(timelines: readonly (readonly TimelinePoint[])[]): TimelinePoint[] {
  const seconds = Map.groupBy(timelines.flat(), ({ at }) => at);
  return [...seconds.values()].map(mergeSeconds).sort((a, b) => a.at - b.at);
}
