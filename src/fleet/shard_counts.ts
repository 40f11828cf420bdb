import { lowestValue } from "../base/histogram.ts";
import {
  Counts,
  type DecodedChange,
  DETAILS,
  FAMILIES,
  keyOf,
  mergeRows,
  type Row,
  type RowChange,
} from "../engine/metrics/counts.ts";
import { limitSamples } from "../engine/metrics/failures.ts";
import { metricRows, MetricSet, toMetrics } from "../engine/metrics/metrics.ts";
import type {
  CountRows,
  Family,
  MetricData,
  ScenarioCounts,
  Snapshot,
  TickDetails,
  TickReport,
} from "../engine/metrics/snapshot.ts";
import { LiveTimeline, secondData } from "../engine/metrics/timeline.ts";
import type { TimelinePoint } from "../engine/summary/summary.ts";
import { type MetricKind, METRICS } from "../plan/text/metrics.ts";
import { parseSelector } from "../plan/rules/thresholds.ts";
import type { MessageOf } from "./channel.ts";

/** Everything that a shard counted since its previous delta message. */
export type DeltaCounts = Omit<MessageOf<"delta">, "from" | "seq">;

/** Computes the changes in a shard's counts since the previous call. */
export class DeltaEncoder {
  readonly #changes = new ChangeReader();
  /** Seconds that have been sent. Their histograms are encoded to save memory. */
  readonly #seconds = new Map<number, TimelinePoint>();

  /** Returns the changes until `elapsedMs`, the end of a one-second interval. */
  tick({ metrics, last, scenarios: live, details }: TickReport, elapsedMs: number): DeltaCounts {
    const rows = { ...details, live, metrics: metricRows(metrics) };
    return this.#delta(last.at, elapsedMs, [last], rows);
  }

  /** Returns the changes since the last interval, and corrections to earlier counts. */
  end({ durationMs, timeline, metrics, ...details }: Snapshot): DeltaCounts {
    const live = details.scenarios.map(({ name, iterations, interrupted, dropped }) => (
      { name, iterations, interrupted, dropped, vus: 0, atWork: 0 }
    ));
    const rows = { ...details, live, metrics: metricRows(metrics) };
    return this.#delta(timeline.at(-1)?.at ?? 0, durationMs, timeline, rows);
  }

  #delta(
    second: number,
    elapsed_ms: number,
    timeline: readonly TimelinePoint[],
    rows: { readonly [F in Family]?: readonly CountRows[F][] },
  ): DeltaCounts {
    const seconds = timeline.map((point) => this.#second(point)).filter((row) => row !== undefined);
    const changes = Object.entries(rows)
      .map(([family, rows]) => [family, this.#changes.take(family as Family, rows)] as const)
      .filter(([, changes]) => changes.length > 0);
    return { second, elapsed_ms, ...Object.fromEntries(changes), seconds };
  }

  #second(point: TimelinePoint): RowChange<"seconds"> | undefined {
    const sent = this.#seconds.get(point.at);
    if (sent === point) return undefined;
    this.#seconds.set(point.at, point);
    return changeSince("seconds", secondData(point), sent && secondData(sent));
  }
}

export class ChangeReader {
  readonly #before = new Map<string, Row>();

  /** Returns the changes of a family since the last call, without the rows that did not change. */
  take<F extends Family>(family: F, rows: readonly CountRows[F][]): RowChange<F>[] {
    return rows.flatMap((row) => {
      const key = `${family} ${keyOf(family, row as unknown as Row)}`;
      const change = changeSince(family, row, this.#before.get(key) as CountRows[F] | undefined);
      if (change === undefined) return [];
      const kept = FAMILIES[family].fields.map(({ field, rule }) => {
        const value = (row as unknown as Row)[field];
        return [field, value === undefined ? value : rule.keep?.(value) ?? value];
      });
      this.#before.set(key, Object.fromEntries(kept));
      return [change];
    });
  }
}

function changeSince<F extends Family>(
  family: F,
  row: CountRows[F],
  before: CountRows[F] | undefined,
): RowChange<F> | undefined {
  const [now, then] = [row, before] as unknown as [Row, Row | undefined];
  const { fields, labels } = FAMILIES[family];
  const change: Row = {};
  let isChanged = before === undefined;
  for (const { field, rule } of fields) {
    const value = now[field] ?? undefined;
    if (value === undefined) continue;
    const isLabel = labels.includes(field);
    const found = isLabel ? value : (rule.since ?? ifChanged)(value, then?.[field]);
    if (found === undefined) continue;
    change[field] = found;
    isChanged ||= !isLabel;
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
    for (const { field, rule } of FAMILIES[family].fields) {
      if (rule.decode && change[field] !== undefined) decoded[field] = rule.decode(change[field]);
    }
    return decoded as DecodedChange<F>;
  });
}

function ifChanged(value: unknown, before: unknown): unknown {
  return value === before ? undefined : value;
}

/** Maximum number of rows of counts in a run, such as endpoints, checks and errors. */
const MAX_ROWS = 100_000;

export class Totals {
  readonly timeline: LiveTimeline = new LiveTimeline();
  readonly #counts = new Counts();
  /** Counts that can decrease, by the index of the shard: gauges, and the VUs of scenarios. */
  readonly #levels = new Map<number, Counts>();
  readonly #selectors: ReadonlySet<string>;
  readonly #own: ReadonlyMap<string, MetricKind>;
  #second = 0;

  /** `selectors` are the keys of the thresholds; `own` has the kinds of the plan's own metrics. */
  constructor(selectors: readonly string[], own: ReadonlyMap<string, MetricKind>) {
    this.#selectors = new Set(selectors);
    this.#own = own;
    new MetricSet(selectors, this.#counts);
  }

  /** Adds a delta of a shard. Throws an Error, and adds nothing, if it is invalid. */
  add(shard: number, { second, elapsed_ms: _, ...delta }: DeltaCounts): void {
    const lists: { readonly [F in Family]?: RowChange<F>[] } = delta;
    const read = <F extends Family>(family: F) => decodeChanges<F>(family, lists[family] ?? []);
    const metrics = read("metrics");
    const unknown = metrics.find(({ name = "", kind }) => this.#kind(name) !== kind);
    if (unknown) throw new Error(`it contains a ${unknown.kind} that the plan does not have`);
    const summed = DETAILS.map((family) => [family, read(family)] as const);
    const seconds = read("seconds");
    const live = read("live");
    const added = summed.reduce((sum, [, changes]) => sum + changes.length, live.length);
    if (this.#counts.size + added > MAX_ROWS) {
      throw new Error(`the run would have more than ${MAX_ROWS} endpoints, checks and other rows`);
    }
    this.#second = Math.max(this.#second, second);
    const levels = this.#levels.getOrInsertComputed(shard, () => new Counts());
    levels.follow("live", live);
    levels.follow("metrics", metrics.filter(({ kind }) => kind === "gauge"));
    this.#counts.follow("metrics", metrics.filter(({ kind }) => kind !== "gauge"));
    for (const [family, changes] of summed) this.#counts.follow(family, changes);
    for (const endpoint of read("endpoints")) this.#recordSeries(endpoint, second);
    for (const change of seconds) this.timeline.add(change);
  }

  leave(shard: number): void {
    const levels = this.#levels.get(shard);
    for (const gauge of levels?.data("metrics") ?? []) levels!.row("metrics", gauge).value = 0;
    for (const scenario of levels?.data("live") ?? []) {
      Object.assign(levels!.row("live", scenario), { vus: 0, atWork: 0 });
    }
  }

  metrics(): Record<string, MetricData> {
    const all = this.#counts.data("metrics");
    const gauges = mergeRows("metrics", this.#ofAllShards("metrics"));
    return { ...toMetrics(all), ...toMetrics(gauges) };
  }

  scenarios(): ScenarioCounts[] {
    return mergeRows("live", this.#ofAllShards("live"));
  }

  /** Returns the current counts, without the series of the endpoints. */
  details(): TickDetails {
    const details = this.#counts.details();
    return { ...details, failures: limitSamples(details.failures) };
  }

  snapshot(durationMs: number): Snapshot {
    for (const endpoint of this.#counts.rows("endpoints")) {
      if (this.#second > 0) endpoint.series!.tick(this.#second, endpoint);
    }
    return {
      durationMs,
      metrics: this.metrics(),
      ...this.details(),
      endpoints: this.#counts.data("endpoints"),
      timeline: this.timeline.points(),
    };
  }

  #recordSeries(
    { scenario = "", group = "", name = "", method = "", histogram }: DecodedChange<"endpoints">,
    second: number,
  ): void {
    const endpoint = this.#counts.row("endpoints", { scenario, group, name, method });
    histogram?.buckets.forEach((bucket, i) => {
      endpoint.series!.record(lowestValue(bucket), histogram.counts[i]);
    });
    if (second > 0) endpoint.series!.tick(second, endpoint);
  }

  #kind(key: string): MetricKind | undefined {
    const { metric } = this.#selectors.has(key) ? parseSelector(key) : { metric: key };
    return METRICS.get(metric) ?? this.#own.get(metric);
  }

  #ofAllShards<F extends "metrics" | "live">(family: F) {
    return [...this.#levels.values()].flatMap((levels) => levels.data(family));
  }
}
