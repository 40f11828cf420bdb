import type { EndpointSeries } from "../summary/summary.ts";

/** Maximum number of intervals in a series. A sparkline cannot show more. */
const MAX_INTERVALS = 60;

/** Counts of one interval. `sum` is the total `http_req_duration` in µs. */
interface Interval {
  count: number;
  failed: number;
  sum: number;
}

/**
 * Records the requests of an endpoint over time. Lengthens the intervals in long runs to limit
 * memory use.
 */
export class SeriesRecorder {
  #step = 1;
  #intervals: Interval[] = [];
  #previous: Interval = { count: 0, failed: 0, sum: 0 };

  /**
   * Closes the one-second interval that ends `at` seconds after the start of the run. `count`,
   * `failed` and `sum` (total `http_req_duration` in µs) are totals since the start of the run.
   */
  tick(at: number, count: number, failed: number, sum: number): void {
    while (Math.floor((at - 1) / this.#step) >= MAX_INTERVALS) {
      this.#intervals = coarser(this.#intervals, 2);
      this.#step *= 2;
    }
    const index = Math.floor((at - 1) / this.#step);
    const { length } = this.#intervals;
    for (let i = length; i <= index; i++) this.#intervals.push({ count: 0, failed: 0, sum: 0 });
    const previous = this.#previous;
    const interval = this.#intervals[index];
    interval.count += count - previous.count;
    interval.failed += failed - previous.failed;
    interval.sum += sum - previous.sum;
    this.#previous = { count, failed, sum };
  }

  /** Returns the series as plain data. */
  data(): EndpointSeries {
    return toSeries(this.#step, this.#intervals);
  }
}

/** Merges the series of two shards. Returns undefined if either of them is undefined. */
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
 * Shifts the series later by `seconds` (an integer). Lengthens the intervals if there would
 * otherwise be more than 60.
 */
export function shiftSeries(series: EndpointSeries, seconds: number): EndpointSeries {
  let step = series.step;
  const length = series.count.length * series.step;
  while (Math.ceil((length + seconds) / step) > MAX_INTERVALS) step *= 2;
  const moved = Array.from(
    { length: Math.ceil((length + seconds) / step) },
    (): Interval => ({ count: 0, failed: 0, sum: 0 }),
  );
  toIntervals(series).forEach((interval, i) => {
    const at = Math.floor((i * series.step + seconds) / step);
    moved[at] = addIntervals([moved[at], interval]);
  });
  return toSeries(step, moved);
}

function coarser(intervals: readonly Interval[], by: number): Interval[] {
  return Array.from(
    { length: Math.ceil(intervals.length / by) },
    (_, i) => addIntervals(intervals.slice(i * by, (i + 1) * by)),
  );
}

function addIntervals(intervals: readonly (Interval | undefined)[]): Interval {
  const all = { count: 0, failed: 0, sum: 0 };
  for (const interval of intervals) {
    all.count += interval?.count ?? 0;
    all.failed += interval?.failed ?? 0;
    all.sum += interval?.sum ?? 0;
  }
  return all;
}

function toIntervals({ count, failed, avg }: EndpointSeries): Interval[] {
  return count.map((n, i) => ({
    count: n,
    failed: failed[i] ?? 0,
    sum: n * (avg[i] ?? 0) * 1_000,
  }));
}

function toSeries(step: number, intervals: readonly Interval[]): EndpointSeries {
  return {
    step,
    count: intervals.map(({ count }) => count),
    failed: intervals.map(({ failed }) => failed),
    avg: intervals.map(({ count, sum }) => count === 0 ? 0 : Math.round(sum / count) / 1_000),
  };
}
