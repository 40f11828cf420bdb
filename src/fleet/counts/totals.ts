import { Histogram } from "../../base/histogram.ts";
import { Endpoint } from "../../engine/metrics/endpoint.ts";
import type { MetricData } from "../../engine/metrics/metric.ts";
import { MetricSet } from "../../engine/metrics/metric_set.ts";
import type { ScenarioData, Snapshot, TickDetails } from "../../engine/metrics/snapshot.ts";
import { mergeFailures } from "../../engine/metrics/failure_log.ts";
import { worstEnd } from "../../engine/summary/codes.ts";
import type { CheckData } from "../../engine/metrics/check_series.ts";
import type { ErrorStats, FailureStats } from "../../engine/summary/flow_stats.ts";
import type { MetricKind } from "../../plan/text/metrics.ts";
import { LiveTimeline } from "./live_timeline.ts";
import type { ReadDelta } from "./read_delta.ts";

/**
 * Maximum combined number of endpoints, checks, scenarios, groups, errors and failures in a run.
 */
const MAX_SERIES = 100_000;

type Gauge = Extract<MetricData, { kind: "gauge" }>;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Counts of one scenario, summed over all shards. */
interface ScenarioTotals {
  readonly counts: Mutable<Omit<ScenarioData, "lag">>;
  readonly lag: Histogram | null;
}

/** Counts of a whole run, to which the deltas of all shards are added. */
export class Totals {
  readonly timeline: LiveTimeline = new LiveTimeline();
  readonly #set: MetricSet;
  readonly #gauges = new Map<string, Map<number, Gauge>>();
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #checks = new Map<string, Mutable<CheckData>>();
  readonly #errors = new Map<string, Mutable<ErrorStats>>();
  readonly #groups = new Map<string, { scenario: string; group: string; times: Histogram }>();
  #failures: FailureStats[] = [];
  readonly #scenarios = new Map<string, ScenarioTotals>();
  #second = 0;

  /**
   * Creates the counts. `selectors` are the keys of the plan's thresholds. `own` maps the name of
   * each metric that the plan defines to its kind.
   */
  constructor(selectors: readonly string[], own: ReadonlyMap<string, MetricKind>) {
    this.#set = new MetricSet(selectors, own);
  }

  /**
   * Adds a delta from the shard with the given index. Throws an Error, and adds nothing, if the
   * delta contains a metric that the plan does not have, or if the run would have too many series.
   */
  add(shard: number, delta: ReadDelta): void {
    this.#check(delta);
    this.#second = Math.max(this.#second, delta.second);
    for (const [name, count] of Object.entries(delta.counters)) {
      this.#set.find(name, "counter").count += count;
    }
    for (const [name, { passes, total }] of Object.entries(delta.rates)) {
      const rate = this.#set.find(name, "rate");
      rate.passes += passes;
      rate.total += total;
    }
    for (const [name, values] of Object.entries(delta.trends)) {
      this.#set.find(name, "trend").histogram.addBuckets(values);
    }
    for (const [name, gauge] of Object.entries(delta.gauges)) {
      const shards = this.#gauges.get(name) ?? new Map();
      this.#gauges.set(name, shards.set(shard, { kind: "gauge", ...gauge }));
    }
    for (const point of delta.points) this.timeline.add(point);
    for (const scenario of delta.scenarios) this.#addScenario(scenario);
    for (const check of delta.checks) this.#addCheck(check);
    for (const endpoint of delta.endpoints) this.#addEndpoint(endpoint, delta.second);
    for (const error of delta.errors) this.#addError(error);
    for (const group of delta.groups ?? []) this.#addGroup(group);
    const { failures = [] } = delta;
    if (failures.length > 0) this.#failures = mergeFailures([...this.#failures, ...failures]);
  }

  /** Sets the current values of a shard's gauges to 0, because the shard has left the run. */
  leave(shard: number): void {
    for (const shards of this.#gauges.values()) {
      const gauge = shards.get(shard);
      if (gauge !== undefined) shards.set(shard, { ...gauge, value: 0 });
    }
  }

  /** Returns the current values of all metrics, by name. */
  metrics(): Record<string, MetricData> {
    const data = this.#set.data();
    for (const [name, shards] of this.#gauges) {
      const sum = { kind: "gauge" as const, value: 0, min: 0, max: 0 };
      for (const { value, min, max } of shards.values()) {
        sum.value += value;
        sum.min += min;
        sum.max += max;
      }
      data[name] = sum;
    }
    return data;
  }

  /**
   * Returns the current counts for checks, endpoints, errors, failures, groups and scenarios. Omits
   * the time series of the endpoints.
   */
  details(): TickDetails {
    return {
      checks: [...this.#checks.values()].map((check) => ({ ...check })),
      endpoints: [...this.#endpoints.values()].map((endpoint) => endpoint.counts()),
      errors: [...this.#errors.values()].map((error) => ({ ...error })),
      failures: this.#failures,
      groups: [...this.#groups.values()].map(({ times, ...group }) => ({
        ...group,
        histogram: times.data(),
      })),
      scenarios: [...this.#scenarios.values()].map(({ counts, lag }) => ({
        ...counts,
        lag: lag?.data() ?? null,
      })),
    };
  }

  /** Returns all counts. `durationMs` is the duration of the run so far. */
  snapshot(durationMs: number): Snapshot {
    const timeline = this.timeline.points();
    const endpoints = [...this.#endpoints.values()].map((endpoint) => {
      if (this.#second > 0) endpoint.tick(this.#second);
      return endpoint.data();
    });
    return { durationMs, metrics: this.metrics(), ...this.details(), endpoints, timeline };
  }

  #check({ counters, rates, trends, gauges, ...lists }: ReadDelta): void {
    for (
      const [kind, values] of Object.entries({
        counter: counters,
        rate: rates,
        trend: trends,
        gauge: gauges,
      })
    ) {
      const unknown = Object.keys(values).find((name) => !this.#set.has(name, kind));
      if (unknown !== undefined) {
        throw new Error(`it contains a ${kind} that the plan does not have`);
      }
    }
    const { size } = this.#endpoints;
    const added = lists.endpoints.length + lists.checks.length + lists.errors.length +
      lists.scenarios.length + (lists.failures?.length ?? 0) + (lists.groups?.length ?? 0);
    const known = size + this.#checks.size + this.#errors.size + this.#scenarios.size +
      this.#failures.length + this.#groups.size;
    if (known + added > MAX_SERIES) {
      throw new Error(
        `the run would have more than ${MAX_SERIES} endpoints, checks, scenarios, groups, errors ` +
          "and failures in total",
      );
    }
  }

  #addScenario({ name, executor, lag, ...added }: ReadDelta["scenarios"][number]): void {
    let known = this.#scenarios.get(name);
    if (known === undefined) {
      const counts = { name, executor, iterations: 0, interrupted: 0, dropped: 0, max_vus: 0 };
      this.#scenarios.set(name, known = { counts, lag: lag && new Histogram() });
    }
    const { counts } = known;
    if (added.planned !== null) counts.planned = (counts.planned ?? 0) + added.planned;
    counts.started = (counts.started ?? 0) + added.started;
    counts.ended = worstEnd(counts.ended, added.ended);
    counts.iterations += added.iterations;
    counts.interrupted += added.interrupted;
    counts.dropped += added.dropped;
    counts.max_vus += added.max_vus;
    if (added.start_delay_ms > 0) {
      counts.start_delay_ms = Math.max(counts.start_delay_ms ?? 0, added.start_delay_ms);
    }
    if (added.unstarted_vus > 0) {
      counts.unstarted_vus = (counts.unstarted_vus ?? 0) + added.unstarted_vus;
    }
    if (added.scheduled_ms !== null) {
      counts.scheduled_ms = Math.max(counts.scheduled_ms ?? 0, added.scheduled_ms);
    }
    if (lag !== null) known.lag?.addBuckets(lag);
  }

  #addCheck(check: ReadDelta["checks"][number]): void {
    const key = JSON.stringify([check.scenario, check.group, check.name, check.request]);
    const known = this.#checks.get(key);
    if (known === undefined) {
      this.#checks.set(key, { ...check });
      return;
    }
    known.passes += check.passes;
    known.fails += check.fails;
  }

  #addEndpoint(added: ReadDelta["endpoints"][number], second: number): void {
    const { scenario, group, name, method } = added;
    const key = JSON.stringify([scenario, group, name, method]);
    let endpoint = this.#endpoints.get(key);
    if (endpoint === undefined) {
      this.#endpoints.set(key, endpoint = new Endpoint({ scenario, group, name, method }));
    }
    endpoint.count += added.count;
    endpoint.failed += added.failed;
    endpoint.unsent += added.unsent;
    endpoint.omittedHeaders += added.omitted_headers;
    endpoint.bytesSent += added.bytes_sent;
    endpoint.bytesReceived += added.bytes_received;
    for (const [status, count] of Object.entries(added.statuses)) {
      endpoint.status(Number(status)).add(count);
    }
    endpoint.addDurations(added.histogram);
    if (second > 0) endpoint.tick(second);
  }

  #addGroup({ scenario, group, histogram }: NonNullable<ReadDelta["groups"]>[number]): void {
    const key = JSON.stringify([scenario, group]);
    const known = this.#groups.get(key) ?? { scenario, group, times: new Histogram() };
    known.times.addBuckets(histogram);
    this.#groups.set(key, known);
  }

  #addError(error: ErrorStats): void {
    const key = JSON.stringify([error.kind, error.scenario, error.name]);
    const known = this.#errors.get(key);
    if (known === undefined) this.#errors.set(key, { ...error });
    else known.count += error.count;
  }
}
