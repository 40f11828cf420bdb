import { Histogram, type HistogramData, type SparseHistogram } from "../../base/histogram.ts";
import { decodeBuckets, encodeBuckets } from "../../base/histogram.ts";
import { isOwnMetric } from "../../plan/text/metrics.ts";
import { type ScenarioEnd, worstEnd } from "../summary/codes.ts";
import type { EndpointSeries } from "../summary/flow_stats.ts";
import { SeriesRecorder } from "./endpoint_series.ts";

/**
 * States how the values of one field of a row add up. `T` is the type in plain data, `Live` the
 * type in a row that counts, `Change` the type in the change of a row, and `Decoded` the type in a
 * change that has been decoded.
 */
export interface Rule<T, Live = T, Change = T, Decoded = Change> {
  /** Returns the value in a new row. By default, it is undefined: the field is absent. */
  start?(): Live;
  /** Adds the value of another row with the same labels. `name` is the name of the row. */
  add(known: Live | undefined, value: T | undefined, name?: string): Live | undefined;
  /** Adds a later change of the same shard. By default, the same as `add`. */
  follow?(known: Live | undefined, change: Decoded): Live;
  /**
   * Decodes a change, which may come from an untrusted process. Throws an Error if it is invalid.
   * By default, returns it.
   */
  decode?(change: Change): Decoded;
  /** Converts a value to plain data. By default, returns it. */
  data?(live: Live): T | undefined;
  /**
   * Returns the change since an earlier value, or undefined if there is none. By default, it is the
   * value if it differs.
   */
  since?(value: T, before: T | undefined): Change | undefined;
  /** Returns a copy of a value that later counts do not change. By default, returns the value. */
  keep?(value: T): T;
}

/**
 * Values that a histogram has received since an earlier time. `buckets` is the output of
 * `encodeBuckets`; `min` and `max` are the extremes of all values.
 */
export interface HistogramChange extends Pick<SparseHistogram, "sum" | "min" | "max"> {
  readonly buckets: string;
}

const sum: Rule<number> = {
  start: () => 0,
  add: (known = 0, value = 0) => known + value,
  since: (value, before = 0) => value - before || undefined,
};

const max: Rule<number> = {
  start: () => 0,
  add: (known = 0, value = 0) => Math.max(known, value),
};

const first: Rule<unknown> = { add: (known, value) => known ?? value };

const histogram: Rule<HistogramData, Histogram, HistogramChange, SparseHistogram> = {
  start: () => new Histogram(),
  add(known, value) {
    const all = known ?? new Histogram();
    if (value) all.addData(value);
    return all;
  },
  follow(known, added) {
    const all = known ?? new Histogram();
    all.addBuckets(added);
    return all;
  },
  decode: ({ buckets, ...stats }) => ({ ...decodeBuckets(buckets), ...stats }),
  data: (live) => live.data(),
  since(data, before) {
    const buckets = encodeBuckets(data, before?.counts);
    if (buckets === "" && before !== undefined) return undefined;
    const added = Math.max(0, Math.round(data.sum - (before?.sum ?? 0)));
    return { buckets, sum: added, min: Math.floor(data.min), max: data.max };
  },
  keep: (data) => ({ ...data, counts: data.counts.slice() }),
};

const statuses: Rule<Readonly<Record<string, number>>, Record<string, number>> = {
  start: () => ({}),
  add(known = {}, value = {}) {
    for (const status in value) known[status] = (known[status] ?? 0) + value[status];
    return known;
  },
  data: (live) => Object.fromEntries(Object.entries(live).filter(([, count]) => count > 0)),
  since(value, before = {}) {
    const added = Object.entries(value)
      .map(([status, count]) => [status, count - (before[status] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    return added.length === 0 ? undefined : Object.fromEntries(added);
  },
};

const series: Rule<EndpointSeries, SeriesRecorder> = {
  start: () => new SeriesRecorder(),
  add(known, value) {
    const all = known ?? new SeriesRecorder();
    all.add(value);
    return all;
  },
  data: (live) => live.data(),
  since: () => undefined,
};

/** All rules, by the name that the table of counts uses. */
export const RULES = {
  /** Part of the key of a row. */
  label: first,
  /** Value of the first row that has one. */
  first,
  /** Text of the first row; empty if it has none. */
  text: { start: () => "", add: (known, value = "") => known || value } as Rule<string>,
  sum,
  /** Sum that is absent if it is 0. */
  positive: { ...sum, data: (live) => live || undefined } as Rule<number>,
  /** Sum that is absent if it is absent in all rows. */
  known: optional({
    ...sum,
    since: (value, before) => before === undefined ? value : sum.since!(value, before),
  }),
  /** Maximum that is absent if it is 0. */
  longest: { ...max, data: (live) => live || undefined } as Rule<number>,
  /** Maximum that is absent if it is absent in all rows. */
  longestKnown: optional(max),
  /** Number that can decrease: the sum of the latest values of all shards. */
  now: { ...sum, follow: (_, value) => value, since: undefined } as Rule<number>,
  highest: gauge(Math.max),
  lowest: gauge(Math.min),
  worst: { add: (known, value) => worstEnd(known, value) } as Rule<ScenarioEnd>,
  histogram,
  anyHistogram: optional(histogram),
  statuses,
  /** Series over time that is absent if it is absent in any row. */
  series,
};

/** Name of a rule. */
export type RuleName = keyof typeof RULES;

function optional<T, Live, Change, Decoded>(
  rule: Rule<T, Live, Change, Decoded>,
): Rule<T, Live, Change, Decoded> {
  return {
    ...rule,
    start: undefined,
    add: (known, value) => value === undefined ? known : rule.add(known, value),
  };
}

/**
 * Makes a rule for a value of a gauge, which can decrease. Built-in gauges, which count VUs, add
 * up, because shards run at the same time. For a gauge that the plan defines, `pick` selects a
 * value.
 */
function gauge(pick: (a: number, b: number) => number): Rule<number> {
  return {
    add(known, value, name = "") {
      if (known === undefined || value === undefined) return known ?? value;
      return isOwnMetric(name) ? pick(known, value) : known + value;
    },
    follow: (_, value) => value,
  };
}
