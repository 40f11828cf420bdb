import { Histogram, mergeHistograms } from "../../base/histogram.ts";
import { decodeHistogram, encodeLater } from "../../base/histogram_codec.ts";
import { mapPercentiles, type PercentileKey } from "../summary/codes.ts";
import type { TimelinePoint } from "../summary/summary.ts";
import { Counts, type DecodedChange, mergeRows } from "./counts.ts";
import type { SecondData } from "./snapshot.ts";

/**
 * Returns the timeline point of a one-second interval. `histogram` contains `http_req_duration` in
 * µs. To save memory, the point stores the histogram in encoded form: a run of one day has 86,400
 * points. The encoded form is compressed only when the property `histogram` is read, because most
 * runs do not export their timeline.
 */
export function timelinePoint(
  counts: Omit<SecondData, "histogram">,
  histogram: Histogram,
): TimelinePoint {
  const encoded = encodeLater(histogram);
  return {
    ...counts,
    ...percentilesMs(histogram),
    get histogram() {
      return encoded();
    },
  };
}

/** Returns the percentiles of a histogram in µs, in ms. */
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
  const [second] = mergeRows("seconds", seconds.map(secondData));
  return toPoint(second);
}

/** Returns the counts of a timeline point, with its histogram decoded. */
export function secondData(point: TimelinePoint): SecondData {
  return { ...point, histogram: decodeHistogram(point.histogram).data() };
}

function toPoint({ histogram, ...counts }: SecondData): TimelinePoint {
  return timelinePoint(counts, mergeHistograms(histogram));
}

/** Age in seconds at which an interval is encoded to save memory. Shards can still add to it. */
const OPEN_SECONDS = 10;

/** Timeline of a run, to which shards add their counts in any order. */
export class LiveTimeline {
  readonly #open = new Map<number, Counts>();
  readonly #closed = new Map<number, TimelinePoint>();
  #newest = 0;

  add(change: DecodedChange<"seconds">): void {
    const at = change.at!;
    const counts = this.#open.get(at) ?? new Counts();
    counts.follow("seconds", [change]);
    this.#open.set(at, counts);
    if (at > this.#newest) this.#close(this.#newest = at);
  }

  at(second: number): TimelinePoint {
    const closed = this.#closed.get(second);
    const open = this.#open.get(second) ?? (closed ? undefined : new Counts());
    open?.row("seconds", { at: second });
    const points = [closed, ...(open?.data("seconds").map(toPoint) ?? [])];
    return mergeSeconds(points.filter((point) => point !== undefined));
  }

  points(): TimelinePoint[] {
    const seconds = new Set([...this.#closed.keys(), ...this.#open.keys()]);
    return [...seconds].sort((a, b) => a - b).map((second) => this.at(second));
  }

  #close(newest: number): void {
    for (const second of this.#open.keys()) {
      if (second > newest - OPEN_SECONDS) continue;
      this.#closed.set(second, this.at(second));
      this.#open.delete(second);
    }
  }
}
