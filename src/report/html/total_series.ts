import {
  addIntervals,
  coarser,
  type Interval,
  toIntervals,
} from "../../engine/metrics/series_interval.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";

/**
 * Requests of all endpoints over time, in intervals of `step` seconds from the start of the run.
 */
export interface TotalSeries {
  readonly step: number;
  readonly intervals: readonly Interval[];
}

/**
 * Adds up the series of all endpoints. Returns undefined if there are no endpoints or one of them
 * has no series. Throws an Error if a histogram of a series is invalid.
 */
export function totalSeries(endpoints: readonly EndpointStats[]): TotalSeries | undefined {
  const all = endpoints.map(({ series }) => series).filter((series) => series !== undefined);
  if (all.length === 0 || all.length < endpoints.length) return undefined;
  const step = Math.max(...all.map(({ step }) => step));
  const lists = all.map((series) => coarser(toIntervals(series), step / series.step));
  const length = Math.max(...lists.map((list) => list.length));
  const intervals = Array.from(
    { length },
    (_, i) => addIntervals(lists.map((list) => list[i])),
  );
  return { step, intervals };
}
