import {
  decodeBuckets,
  encodeBuckets,
  Histogram,
  type HistogramData,
  type SparseHistogram,
} from "../../base/histogram.ts";
import { isOwnMetric } from "../../plan/text/metrics.ts";
import { type ScenarioEnd, worstEnd } from "../summary/codes.ts";
import type { EndpointSeries } from "../summary/flow_stats.ts";
import { SeriesRecorder } from "./endpoint_series.ts";
import type { CountRows, Family, TickDetails } from "./snapshot.ts";

// The counts of a run are a tree: families of rows, such as `endpoints`. The labels of a row are
// its key, and its other fields are counts. `TABLE` states how each field adds up. Recording, the
// merging of threads and of summaries, and the reports of a fleet use the table: a new count is an
// entry here and in the summary's schema, and the line that counts it.

const label = "label";
const path = { scenario: label, group: label } as const;

/** The rule of each field, by family. */
export const TABLE: {
  readonly [F in Family]: { readonly [Field in keyof CountRows[F]]-?: RuleName };
} = {
  metrics: {
    name: label,
    kind: label,
    count: "known",
    passes: "known",
    total: "known",
    value: "highest",
    min: "lowest",
    max: "highest",
    histogram: "anyHistogram",
  },
  checks: { name: label, ...path, request: label, passes: "sum", fails: "sum" },
  endpoints: {
    ...path,
    name: label,
    method: label,
    count: "sum",
    failed: "sum",
    unsent: "sum",
    omitted_headers: "positive",
    bytes_sent: "sum",
    bytes_received: "sum",
    statuses: "statuses",
    series: "series",
    histogram: "histogram",
  },
  errors: { kind: label, scenario: label, name: label, message: "text", count: "sum" },
  failures: {
    ...path,
    name: label,
    method: label,
    status: label,
    kind: label,
    message: "first",
    count: "sum",
    sample: "first",
  },
  groups: { ...path, histogram: "histogram" },
  scenarios: {
    name: label,
    executor: "text",
    planned: "known",
    started: "known",
    ended: "worst",
    iterations: "sum",
    interrupted: "sum",
    dropped: "sum",
    max_vus: "sum",
    start_delay_ms: "longest",
    unstarted_vus: "positive",
    scheduled_ms: "longestKnown",
    lag: "anyHistogram",
  },
  live: {
    name: label,
    vus: "now",
    atWork: "now",
    iterations: "sum",
    interrupted: "sum",
    dropped: "sum",
  },
  seconds: {
    at: label,
    vus: "sum",
    scheduled: "sum",
    started: "sum",
    dropped: "sum",
    requests: "sum",
    failed: "sum",
    unsent: "sum",
    histogram: "histogram",
  },
};

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
  /** Decodes a change, or throws an Error if it is invalid. By default, returns it. */
  decode?(change: Change): Decoded;
  /** Converts a value to plain data. By default, returns it. */
  data?(live: Live): T | undefined;
  /** Returns the change since an earlier value. By default, the value if it differs. */
  since?(value: T, before: T | undefined): Change | undefined;
  /** Returns a copy of a value that later counts do not change. By default, returns the value. */
  keep?(value: T): T;
}

/** Values since an earlier time. `min` and `max` are the extremes of all values. */
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

const RULES = {
  /** Part of the key of a row. */
  label: first,
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

/** A row of plain data or of changes: values by field. */
export type Row = Record<string, unknown>;

/** For each family, its fields with their rules, and the names of its labels. */
export const FAMILIES = Object.fromEntries(
  Object.entries(TABLE).map(([family, rules]) => {
    const fields = Object.entries(rules)
      .map(([field, rule]) => ({ field, rule: RULES[rule as RuleName] }));
    const labels = Object.entries(rules).flatMap(([field, rule]) => rule === label ? [field] : []);
    return [family, { fields, labels }];
  }),
) as unknown as Record<Family, {
  readonly fields: readonly { readonly field: string; readonly rule: Rule<unknown> }[];
  readonly labels: readonly string[];
}>;

/** Row that counts: its histograms can record values. Absent fields are undefined. */
export type LiveRow<F extends Family> = {
  -readonly [Field in keyof CountRows[F]]: NonNullable<CountRows[F][Field]> extends HistogramData
    ? Histogram
    : Field extends "statuses" ? Record<string, number>
    : Field extends "series" ? SeriesRecorder
    : CountRows[F][Field];
};

/** Change of a row: its labels, and the fields that have changed. `H` is the type of histograms. */
export type RowChange<F extends Family, H = HistogramChange> = {
  readonly [Field in keyof CountRows[F]]?: NonNullable<CountRows[F][Field]> extends HistogramData
    ? H
    : CountRows[F][Field];
};

/** Change of a row whose histograms are decoded. */
export type DecodedChange<F extends Family> = RowChange<F, SparseHistogram>;

/** Families of details. */
export const DETAILS = [
  "checks",
  "endpoints",
  "errors",
  "failures",
  "groups",
  "scenarios",
] as const satisfies readonly (keyof TickDetails)[];

/** Counts of a run or of a part of it. */
export class Counts {
  readonly #families = new Map<Family, Map<string, Row>>();
  size = 0;

  row<F extends Family>(family: F, labels: RowChange<F, unknown>): LiveRow<F> {
    return this.#row(family, labels) as LiveRow<F>;
  }

  /** Adds rows, for example those of another shard. */
  add<F extends Family>(family: F, rows: readonly CountRows[F][]): this {
    for (const row of rows as readonly Row[]) {
      const known = this.#row(family, row);
      const name = known.name as string;
      for (const { field, rule } of FAMILIES[family].fields) {
        known[field] = rule.add(known[field], row[field] ?? undefined, name);
      }
    }
    return this;
  }

  /** Adds changes of a shard. */
  follow<F extends Family>(family: F, changes: readonly DecodedChange<F>[]): void {
    for (const change of changes as readonly Row[]) {
      const known = this.#row(family, change);
      for (const { field, rule } of FAMILIES[family].fields) {
        const value = change[field];
        if (value === undefined) continue;
        known[field] = rule.follow?.(known[field], value) ?? rule.add(known[field], value);
      }
    }
  }

  rows<F extends Family>(family: F): Iterable<LiveRow<F>> {
    return (this.#families.get(family)?.values() ?? []) as Iterable<LiveRow<F>>;
  }

  /** Returns the rows of a family as plain data. Omits the field `omitted`, if given. */
  data<F extends Family>(family: F, omitted?: string): CountRows[F][] {
    const rows = this.#families.get(family)?.values() ?? [];
    return Array.from(rows, (known) => {
      const row: Row = {};
      for (const { field, rule } of FAMILIES[family].fields) {
        if (field === omitted) continue;
        const live = known[field];
        const value = live === undefined || rule.data === undefined ? live : rule.data(live);
        if (value !== undefined) row[field] = value;
      }
      return row as unknown as CountRows[F];
    });
  }

  /** Returns the rows of all families of details, without the series of endpoints. */
  details(): TickDetails {
    const lists = DETAILS.map((family) => [family, this.data(family, "series")] as const);
    return Object.fromEntries(lists) as unknown as TickDetails;
  }

  #row(family: Family, labels: Row): Row {
    let rows = this.#families.get(family);
    if (rows === undefined) this.#families.set(family, rows = new Map());
    const key = keyOf(family, labels);
    let row = rows.get(key);
    if (row === undefined) {
      row = {};
      for (const { field, rule } of FAMILIES[family].fields) row[field] = rule.start?.();
      for (const name of FAMILIES[family].labels) row[name] = labels[name];
      rows.set(key, row);
      this.size++;
    }
    return row;
  }
}

/** Adds up the rows of a family that have the same labels. */
export function mergeRows<F extends Family>(
  family: F,
  rows: readonly CountRows[F][],
): CountRows[F][] {
  return new Counts().add(family, rows).data(family);
}

/** Returns the key of a row of a family: its labels. */
export function keyOf(family: Family, row: Row): string {
  return JSON.stringify(FAMILIES[family].labels.map((name) => row[name]));
}
