import { COARSE_BUCKETS, coarseBucket, compactBuckets } from "../../base/coarse_buckets.ts";
import type { EndpointSeries } from "../summary/flow_stats.ts";
import {
  addIntervals,
  coarser,
  EMPTY_INTERVAL,
  type Interval,
  statusClasses,
  toIntervals,
  toSeries,
} from "./series_interval.ts";

/** Maximum number of intervals in a series. A small chart cannot show more. */
const MAX_INTERVALS = 60;

/** Totals of an endpoint since the start of the run. */
export interface EndpointTotals {
  readonly count: number;
  readonly failed: number;
  /** Histogram of `http_req_duration` in µs. */
  readonly histogram: { readonly sum: number };
  /** Number of responses by status; `0` counts requests without a response. */
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * Records the requests of an endpoint over time. Lengthens the intervals in long runs to limit
 * memory use.
 */
export class SeriesRecorder {
  #step = 1;
  #intervals: Interval[] = [];
  /** Totals at the end of the last one-second interval. */
  #previous: Interval = { ...EMPTY_INTERVAL, times: undefined };
  /**
   * Number of requests since the end of the last one-second interval, by coarse bucket of their
   * `http_req_duration`.
   */
  readonly #times = new Uint32Array(COARSE_BUCKETS);
  #hasTimes = false;

  /** Records `count` requests with an `http_req_duration` of `us` µs. */
  record(us: number, count: number): void {
    this.#times[coarseBucket(us)] += count;
    this.#hasTimes = true;
  }

  /** Closes the one-second interval that ends `at` seconds after the start of the run. */
  tick(at: number, totals: EndpointTotals): void {
    while (Math.floor((at - 1) / this.#step) >= MAX_INTERVALS) {
      this.#intervals = coarser(this.#intervals, 2);
      this.#step *= 2;
    }
    const index = Math.floor((at - 1) / this.#step);
    for (let i = this.#intervals.length; i <= index; i++) this.#intervals.push(EMPTY_INTERVAL);
    const { count, failed, histogram: { sum } } = totals;
    const previous = this.#previous;
    if (count === previous.count && failed === previous.failed && !this.#hasTimes) return;
    const classes = statusClasses(totals.statuses);
    this.#intervals[index] = addIntervals([this.#intervals[index], {
      count: count - previous.count,
      failed: failed - previous.failed,
      sum: sum - previous.sum,
      classes: classes.map((n, i) => n - previous.classes![i]),
      times: this.#takeTimes(),
    }]);
    this.#previous = { count, failed, sum, classes, times: undefined };
  }

  /** Returns the series as plain data. */
  data(): EndpointSeries {
    return toSeries(this.#step, this.#intervals);
  }

  #takeTimes(): Uint32Array {
    const pairs = compactBuckets(this.#times);
    if (this.#hasTimes) this.#times.fill(0);
    this.#hasTimes = false;
    return pairs;
  }
}

/**
 * Merges the series of two shards. Returns undefined if either of them is undefined. Throws an
 * Error if a histogram is invalid.
 */
export function mergeSeries(
  a: EndpointSeries | undefined,
  b: EndpointSeries | undefined,
): EndpointSeries | undefined {
  if (a === undefined || b === undefined) return undefined;
  const step = Math.max(a.step, b.step);
  const [one, two] = [a, b].map((series) => coarser(toIntervals(series), step / series.step));
  const length = Math.max(one.length, two.length);
  return toSeries(step, Array.from({ length }, (_, i) => addIntervals([one[i], two[i]])));
}

/**
 * Shifts a series forward in time by `seconds` (an integer). Lengthens the intervals if there would
 * otherwise be more than 60. Throws an Error if a histogram is invalid.
 */
export function shiftSeries(series: EndpointSeries, seconds: number): EndpointSeries {
  let step = series.step;
  const length = series.count.length * series.step;
  while (Math.ceil((length + seconds) / step) > MAX_INTERVALS) step *= 2;
  const moved = Array.from(
    { length: Math.ceil((length + seconds) / step) },
    () => EMPTY_INTERVAL,
  );
  toIntervals(series).forEach((interval, i) => {
    const at = Math.floor((i * series.step + seconds) / step);
    moved[at] = addIntervals([moved[at], interval]);
  });
  return toSeries(step, moved);
}
