import {
  addBuckets,
  COARSE_BUCKETS,
  coarseBucket,
  type CoarseCounts,
  coarsePercentile,
  compactBuckets,
  decodeCoarse,
  encodeCoarse,
} from "../../base/histogram.ts";
import { mapPercentiles } from "../summary/codes.ts";
import type { EndpointSeries } from "../summary/flow_stats.ts";

/** Maximum number of intervals in a series. A small chart cannot show more. */
const MAX_INTERVALS = 60;

export interface EndpointTotals {
  readonly count: number;
  readonly failed: number;
  /** Histogram of `http_req_duration` in µs. */
  readonly histogram: { readonly sum: number };
  /** Number of responses by status; `0` counts requests without a response. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Records the requests of an endpoint over time, in at most 60 intervals. */
export class SeriesRecorder {
  #step = 1;
  #intervals: Interval[] = [];
  #previous: Interval = EMPTY_INTERVAL;
  /** Requests since the last interval, by coarse bucket of their duration. */
  readonly #times = new Uint32Array(COARSE_BUCKETS);
  #hasTimes = false;

  /** Records `count` requests with an `http_req_duration` of `us` µs. */
  record(us: number, count: number): void {
    this.#times[coarseBucket(us)] += count;
    this.#hasTimes = true;
  }

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
      classes: classes.map((n, i) => n - previous.classes[i]),
      times: this.#takeTimes(),
    }]);
    this.#previous = { ...EMPTY_INTERVAL, count, failed, sum, classes };
  }

  /** Adds the series of a shard, if it has one. Throws an Error if a histogram is invalid. */
  add(series: EndpointSeries | undefined): void {
    if (series === undefined) return;
    const step = Math.max(this.#step, series.step);
    const own = coarser(this.#intervals, step / this.#step);
    const added = coarser(toIntervals(series), step / series.step);
    const length = Math.max(own.length, added.length);
    this.#intervals = Array.from({ length }, (_, i) => addIntervals([own[i], added[i]]));
    this.#step = step;
  }

  data(): EndpointSeries | undefined {
    return this.#intervals.length === 0 ? undefined : toSeries(this.#step, this.#intervals);
  }

  #takeTimes(): Uint32Array {
    const pairs = compactBuckets(this.#times);
    if (this.#hasTimes) this.#times.fill(0);
    this.#hasTimes = false;
    return pairs;
  }
}

/** Shifts a series forward in time by `seconds`, and lengthens its intervals if necessary. */
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

/** Names of the status classes, indexed by the first digit of the status. */
const CLASSES = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"];

/** Counts of the requests in one interval of an endpoint's series. */
export interface Interval {
  readonly count: number;
  readonly failed: number;
  readonly sum: number;
  /** Requests by the first digit of the status. Index 0 contains those without a response. */
  readonly classes: readonly number[];
  readonly times: CoarseCounts;
}

const EMPTY_INTERVAL: Interval = {
  count: 0,
  failed: 0,
  sum: 0,
  classes: CLASSES.map(() => 0),
  times: new Uint32Array(),
};

/** Returns the number of responses by the first digit of the status, or 0 for other statuses. */
function statusClasses(statuses: Readonly<Record<string, number>>): number[] {
  const classes = CLASSES.map(() => 0);
  for (const status in statuses) {
    const digit = Math.floor(Number(status) / 100);
    classes[digit < CLASSES.length ? digit : 0] += statuses[status];
  }
  return classes;
}

/** Adds up the counts of intervals. Ignores undefined items. */
function addIntervals(intervals: readonly (Interval | undefined)[]): Interval {
  const known = intervals.filter((interval) => interval !== undefined);
  const sum = (of: (interval: Interval) => number) =>
    known.reduce((total, interval) => total + of(interval), 0);
  return {
    count: sum(({ count }) => count),
    failed: sum(({ failed }) => failed),
    sum: sum((interval) => interval.sum),
    classes: CLASSES.map((_, i) => sum(({ classes }) => classes[i])),
    times: addBuckets(known.map(({ times }) => times)),
  };
}

/** Merges every `by` consecutive intervals into one. */
function coarser(intervals: readonly Interval[], by: number): Interval[] {
  if (by === 1) return [...intervals];
  return Array.from(
    { length: Math.ceil(intervals.length / by) },
    (_, i) => addIntervals(intervals.slice(i * by, (i + 1) * by)),
  );
}

/** Restores the intervals of a series. Throws an Error if one of its histograms is invalid. */
function toIntervals(
  { count, failed, avg, statuses, histograms }: EndpointSeries,
): Interval[] {
  return count.map((n, i) => ({
    count: n,
    failed: failed[i] ?? 0,
    sum: n * (avg[i] ?? 0) * 1_000,
    classes: CLASSES.map((name) => statuses[name]?.[i] ?? 0),
    times: decodeCoarse(histograms[i] ?? ""),
  }));
}

/** Converts intervals of `step` seconds to the series of an endpoint, as stored in a summary. */
export function toSeries(step: number, intervals: readonly Interval[]): EndpointSeries {
  const times = intervals.map(({ times }) => times);
  return {
    step,
    count: intervals.map(({ count }) => count),
    failed: intervals.map(({ failed }) => failed),
    avg: intervals.map(({ count, sum }) => count === 0 ? 0 : Math.round(sum / count) / 1_000),
    ...mapPercentiles((percent) => times.map((pairs) => coarsePercentile(pairs, percent) / 1_000)),
    statuses: byClass(intervals),
    histograms: times.map(encodeCoarse),
  };
}

function byClass(intervals: readonly Interval[]): Record<string, number[]> {
  const all = CLASSES.map((name, i) => [name, intervals.map(({ classes }) => classes[i])] as const);
  return Object.fromEntries(all.filter(([, counts]) => counts.some((n) => n > 0)));
}
