import type { Histogram, HistogramData, SparseHistogram } from "../../base/histogram.ts";
import { type HistogramChange, type Rule, type RuleName, RULES } from "./count_rules.ts";
import type { SeriesRecorder } from "./endpoint_series.ts";
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

/** A row of plain data or of changes: values by field. */
type Row = Record<string, unknown>;

const FIELDS = Object.fromEntries(
  Object.entries(TABLE).map(([family, fields]) => [
    family,
    Object.entries(fields).map(([field, rule]) => ({ field, rule: RULES[rule as RuleName] })),
  ]),
) as unknown as Record<Family, readonly { field: string; rule: Rule<unknown> }[]>;

const LABELS = Object.fromEntries(
  Object.entries(TABLE).map(([family, fields]) => [
    family,
    Object.entries(fields).flatMap(([field, rule]) => rule === label ? [field] : []),
  ]),
) as unknown as Record<Family, readonly string[]>;

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
  /** Number of rows. */
  size = 0;

  /** Returns the row with the given labels, so that it can count. Creates it if necessary. */
  row<F extends Family>(family: F, labels: RowChange<F, unknown>): LiveRow<F> {
    return this.#row(family, labels) as LiveRow<F>;
  }

  /** Adds rows, for example those of another shard. */
  add<F extends Family>(family: F, rows: readonly CountRows[F][]): this {
    for (const row of rows as readonly Row[]) {
      const known = this.#row(family, row);
      const name = known.name as string;
      for (const { field, rule } of FIELDS[family]) {
        known[field] = rule.add(known[field], row[field] ?? undefined, name);
      }
    }
    return this;
  }

  /** Adds changes of a shard. */
  follow<F extends Family>(family: F, changes: readonly DecodedChange<F>[]): void {
    for (const change of changes as readonly Row[]) {
      const known = this.#row(family, change);
      for (const { field, rule } of FIELDS[family]) {
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
      for (const { field, rule } of FIELDS[family]) {
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
      for (const { field, rule } of FIELDS[family]) row[field] = rule.start?.();
      for (const name of LABELS[family]) row[name] = labels[name];
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

/** Computes the changes of rows. */
export class ChangeReader {
  readonly #before = new Map<string, Row>();

  /** Returns the changes of a family since the last call, without the rows that did not change. */
  take<F extends Family>(family: F, rows: readonly CountRows[F][]): RowChange<F>[] {
    return rows.flatMap((row) => {
      const key = `${family} ${keyOf(family, row as unknown as Row)}`;
      const change = changeSince(family, row, this.#before.get(key) as CountRows[F] | undefined);
      if (change === undefined) return [];
      const kept = FIELDS[family].map(({ field, rule }) => {
        const value = (row as unknown as Row)[field];
        return [field, value === undefined ? value : rule.keep?.(value) ?? value];
      });
      this.#before.set(key, Object.fromEntries(kept));
      return [change];
    });
  }
}

/** Returns the change of a row since it was `before`, or undefined if nothing has changed. */
export function changeSince<F extends Family>(
  family: F,
  row: CountRows[F],
  before: CountRows[F] | undefined,
): RowChange<F> | undefined {
  const [now, then] = [row, before] as unknown as [Row, Row | undefined];
  const change: Row = {};
  let isChanged = before === undefined;
  for (const { field, rule } of FIELDS[family]) {
    const value = now[field] ?? undefined;
    if (value === undefined) continue;
    const since = rule.since ?? ifChanged;
    const found = LABELS[family].includes(field) ? value : since(value, then?.[field]);
    if (found === undefined) continue;
    change[field] = found;
    isChanged ||= !LABELS[family].includes(field);
  }
  return isChanged ? change as RowChange<F> : undefined;
}

/** Decodes changes, which may come from an untrusted process. Throws an Error if one is invalid. */
export function decodeChanges<F extends Family>(
  family: F,
  changes: readonly RowChange<F>[],
): DecodedChange<F>[] {
  return (changes as readonly Row[]).map((change) => {
    const decoded = { ...change };
    for (const { field, rule } of FIELDS[family]) {
      if (rule.decode && change[field] !== undefined) decoded[field] = rule.decode(change[field]);
    }
    return decoded as DecodedChange<F>;
  });
}

function ifChanged(value: unknown, before: unknown): unknown {
  return value === before ? undefined : value;
}

function keyOf(family: Family, row: Row): string {
  return JSON.stringify(LABELS[family].map((name) => row[name]));
}
