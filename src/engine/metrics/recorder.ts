import { Histogram } from "../../base/histogram.ts";
import type { Redactor } from "../../base/redactor.ts";
import type { Socket } from "../../http/sender.ts";
import type { MetricKind } from "../../plan/text/metrics.ts";
import type { ScenarioEnd } from "../summary/codes.ts";
import type { TimelinePoint } from "../summary/summary.ts";
import { Counts, type LiveRow } from "./counts.ts";
import { FailureLog, type Fault } from "./failures.ts";
import {
  addCount,
  addTime,
  type EndpointKey,
  type LiveMetric,
  mark,
  MetricSet,
  type RecordValue,
  setGauge,
  type TagsOf,
  valueRecorder,
} from "./metrics.ts";
import {
  type SampleBuffer,
  type ScenarioCounts,
  type Snapshot,
  type Tags,
  type TickDetails,
  type TickReport,
  wallTime,
} from "./snapshot.ts";
import { RequestSeries } from "./request_series.ts";
import { timelinePoint } from "./timeline.ts";

export type SocketTraffic = Pick<Socket, "bytesSent" | "bytesReceived">;

/** Records the sessions and messages of one `websocket` step, but not its upgrade requests. */
export interface SocketSeries {
  /** Records a WebSocket that opened in `ms` milliseconds, including connecting and TLS. */
  opened(ms: number): void;
  notOpened(): void;
  sent(): void;
  received(): void;
  /** Records the bytes that a WebSocket sent and received between the states `before` and `now`. */
  traffic(before: SocketTraffic, now: SocketTraffic): void;
  /** Records an error that occurred while a WebSocket was open. A session can have several. */
  fault(fault: NonNullable<Fault>): void;
  ended(ms: number, failed: boolean): void;
}

/** Records all requests, checks, iterations and errors of a run, or of one shard of it. */
export class Recorder {
  readonly #set: MetricSet;
  readonly #counts = new Counts();
  readonly #scenarios: ScenarioStats[] = [];
  readonly #failures: FailureLog;
  readonly #timeline: TimelinePoint[] = [];
  readonly #requests: LiveMetric<"counter">;
  readonly #failed: LiveMetric<"rate">;
  readonly #durations: LiveMetric<"trend">;
  #previous = { scheduled: 0, started: 0, dropped: 0, requests: 0, failed: 0, unsent: 0 };
  #durationsBefore = new Histogram();
  readonly #samples: SampleBuffer | undefined;

  /** `selectors` are the keys of the thresholds. `hide` removes secrets from messages. */
  constructor(selectors: readonly string[], hide: Redactor, samples?: SampleBuffer) {
    this.#samples = samples;
    this.#failures = new FailureLog(this.#counts, hide);
    const set = this.#set = new MetricSet(selectors, this.#counts);
    [this.#requests] = set.resolve("http_reqs", {});
    [this.#failed] = set.resolve("http_req_failed", {});
    [this.#durations] = set.resolve("http_req_duration", {});
  }

  /**
   * Returns a series that records the requests of one step. Steps with the same scenario, group,
   * name and method share an endpoint.
   */
  request(tags: Tags & EndpointKey): RequestSeries {
    return new RequestSeries(tags, this.#endpoint(tags), {
      set: this.#set,
      failures: this.#failures,
      samples: this.#samples,
    });
  }

  socket(tags: Tags & EndpointKey): SocketSeries {
    const set = this.#set;
    const log = this.#failures;
    const endpoint = this.#endpoint(tags);
    const connecting = set.resolve("ws_connecting", tags);
    const durations = set.resolve("ws_session_duration", tags);
    const failures = set.resolve("ws_session_failed", tags);
    const sent = set.resolve("ws_msgs_sent", tags);
    const received = set.resolve("ws_msgs_received", tags);
    const dataSent = set.resolve("data_sent", tags);
    const dataReceived = set.resolve("data_received", tags);
    return {
      opened: (ms) => addTime(connecting, ms),
      notOpened: () => mark(failures, true),
      sent: () => addCount(sent, 1),
      received: () => addCount(received, 1),
      traffic(before, now) {
        const out = now.bytesSent - before.bytesSent;
        const into = now.bytesReceived - before.bytesReceived;
        endpoint.bytes_sent += out;
        endpoint.bytes_received += into;
        addCount(dataSent, out);
        addCount(dataReceived, into);
      },
      fault: (fault) => log.addError(fault, endpoint),
      ended(ms, failed) {
        addTime(durations, ms);
        mark(failures, failed);
        if (failed) endpoint.failed++;
      },
    };
  }

  #endpoint({ scenario, group, name, method }: EndpointKey): LiveRow<"endpoints"> {
    return this.#counts.row("endpoints", { scenario, group, name, method });
  }

  /** Returns a function that records an event, and the time to the first one of a response. */
  event(tags: Tags): (firstMs?: number) => void {
    const events = this.#set.resolve("sse_events", tags);
    const first = this.#set.resolve("sse_first_event", tags);
    return (firstMs) => {
      addCount(events, 1);
      if (firstMs !== undefined) addTime(first, firstMs);
    };
  }

  /** Returns a function that records the results of a check. */
  check(
    tags: Tags & TagsOf<"check" | "scenario" | "group" | "name">,
  ): (passed: boolean) => void {
    const { check, scenario, group, name } = tags;
    const counts = this.#counts.row("checks", { name: check, scenario, group, request: name });
    const rates = this.#set.resolve("checks", tags);
    const samples = this.#samples;
    return (passed) => {
      mark(rates, passed);
      if (passed) counts.passes++;
      else counts.fails++;
      samples?.add({ type: "check", time: wallTime(), scenario, group, name, check, passed });
    };
  }

  ownMetric(name: string, kind: MetricKind, tags: Tags): RecordValue {
    const record = valueRecorder(kind, this.#set.resolveKind(name, kind, tags));
    const samples = this.#samples;
    if (samples === undefined) return record;
    return (value) => {
      const reason = record(value);
      if (reason === undefined) {
        const sample = { time: wallTime(), tags, metric: name, value: Number(value) };
        samples.add({ type: "metric", ...sample });
      }
      return reason;
    };
  }

  groupDuration(tags: Tags & TagsOf<"scenario" | "group">): (ms: number) => void {
    const { scenario, group } = tags;
    const trends = this.#set.resolve("group_duration", tags);
    const { histogram } = this.#counts.row("groups", { scenario, group });
    return (ms) => {
      addTime(trends, ms);
      histogram.record(ms * 1_000 + 0.5);
    };
  }

  stepErrors(scenario: string, name: string): (fault: NonNullable<Fault>) => void {
    return (fault) => this.#failures.addError(fault, { scenario, name });
  }

  scenario(name: string, executor: string, tags: Tags): ScenarioStats {
    const counts = this.#counts.row("scenarios", { name });
    counts.executor = executor;
    const stats = new ScenarioStats(counts, this.#set, tags, this.#samples);
    this.#scenarios.push(stats);
    return stats;
  }

  /** Closes a one-second interval that ends `at` seconds after the start, at the time `until`. */
  tick(at: number, until: number): TickReport {
    const sum = (of: (stats: ScenarioStats) => number) =>
      this.#scenarios.reduce((total, stats) => total + of(stats), 0);
    const previous = this.#previous;
    const reached = this.#previous = {
      scheduled: sum((stats) => stats.scheduledUntil(until)),
      started: sum(({ started }) => started),
      dropped: sum(({ counts }) => counts.dropped),
      requests: this.#requests.count,
      failed: this.#failed.passes,
      unsent: this.#failed.total - this.#requests.count,
    };
    const histogram = this.#durations.histogram.since(this.#durationsBefore);
    this.#durationsBefore = this.#durations.histogram.copy();
    const vus = sum((stats) => stats.takeMostVus());
    setGauge(this.#set.resolve("vus", {}), vus);
    setGauge(this.#set.resolve("vus_max", {}), sum(({ counts }) => counts.max_vus));
    for (const endpoint of this.#counts.rows("endpoints")) endpoint.series!.tick(at, endpoint);
    const last = timelinePoint({ at, vus, ...difference(reached, previous) }, histogram);
    this.#timeline.push(last);
    return {
      metrics: this.#set.data(),
      last,
      scenarios: this.#scenarios.map((stats) => stats.live()),
    };
  }

  /** Converts the kept exchanges to samples. Call it after the run, before `snapshot`. */
  makeSamples(): void {
    this.#failures.makeSamples();
  }

  snapshot(durationMs: number): Snapshot {
    return {
      durationMs,
      metrics: this.#set.data(),
      ...this.details(),
      endpoints: this.#counts.data("endpoints"),
      timeline: this.#timeline,
    };
  }

  details(): TickDetails {
    for (const stats of this.#scenarios) stats.update();
    const details = this.#counts.details();
    return { ...details, failures: details.failures.filter(({ count }) => count > 0) };
  }
}

function difference<T extends Readonly<Record<string, number>>>(now: T, before: T): T {
  const changes = Object.entries(now).map(([name, value]) => [name, value - before[name]]);
  return Object.fromEntries(changes) as T;
}

export class ScenarioStats {
  readonly counts: LiveRow<"scenarios">;
  readonly #ended: readonly LiveMetric<"counter">[];
  readonly #durations: readonly LiveMetric<"trend">[];
  readonly #dropped: readonly LiveMetric<"counter">[];
  readonly #samples: SampleBuffer | undefined;
  #vus = 0;
  #mostVus = 0;
  #lastVus = 0;
  started = 0;
  /** Number of iterations that a closed model plans; Infinity if there is no limit. */
  limit: number = Infinity;
  #scheduledUntil: (time: number) => number = () => this.started;

  constructor(counts: LiveRow<"scenarios">, set: MetricSet, tags: Tags, samples?: SampleBuffer) {
    this.#samples = samples;
    this.counts = counts;
    this.#ended = set.resolve("iterations", tags);
    this.#durations = set.resolve("iteration_duration", tags);
    this.#dropped = set.resolve("dropped_iterations", tags);
  }

  /** Sets the schedule of an open model: the number of iterations due before a time. */
  setSchedule(scheduledUntil: (time: number) => number): void {
    this.#scheduledUntil = scheduledUntil;
    this.counts.lag = new Histogram();
    this.counts.scheduled_ms = 0;
  }

  /** Returns the number of iterations scheduled before `time` or, in closed models, started. */
  scheduledUntil(time: number): number {
    return this.#scheduledUntil(time);
  }

  /** Records how late a VU of a closed model started, if it did. */
  startVu(delayMs: number, started: boolean): void {
    this.counts.start_delay_ms = Math.max(this.counts.start_delay_ms!, delayMs);
    if (!started) this.counts.unstarted_vus!++;
  }

  enter(): void {
    this.#vus++;
    if (this.#vus > this.#mostVus) this.#mostVus = this.#vus;
  }

  leave(): void {
    this.#vus--;
  }

  /** Returns the maximum number of VUs that were busy at the same time since the last call. */
  takeMostVus(): number {
    this.#lastVus = this.#mostVus;
    this.#mostVus = this.#vus;
    return this.#lastVus;
  }

  end(durationMs: number): void {
    this.counts.iterations++;
    addCount(this.#ended, 1);
    addTime(this.#durations, durationMs);
    this.#samples?.add({
      type: "iteration",
      time: wallTime(),
      scenario: this.counts.name,
      iteration_duration: durationMs,
    });
  }

  interrupt(): void {
    this.counts.interrupted++;
  }

  drop(iterations = 1): void {
    this.counts.dropped += iterations;
    addCount(this.#dropped, iterations);
    this.#samples?.add({
      type: "dropped_iteration",
      time: wallTime(),
      scenario: this.counts.name,
      ...(iterations > 1 && { value: iterations }),
    });
  }

  get #planned(): number {
    return this.counts.lag ? this.#scheduledUntil(Infinity) : this.limit;
  }

  /** Records why the scenario ended, and drops the planned iterations that did not start. */
  finish(end: ScenarioEnd): void {
    const left = this.#planned - this.started - this.counts.dropped;
    const hasLeft = Number.isFinite(left) && left > 0;
    this.counts.ended = end === "time" && !hasLeft ? "finished" : end;
    if (hasLeft && end !== "stopped" && end !== "data") this.drop(left);
  }

  /** Records how late an iteration of an open model started. */
  late(ms: number): void {
    this.counts.lag?.record(ms * 1_000);
  }

  /** Records how long the schedule of an open model ran, in ms, before it ended or was stopped. */
  setScheduled(ms: number): void {
    if (this.counts.lag) this.counts.scheduled_ms = ms;
  }

  update(): void {
    this.counts.started = this.started;
    this.counts.planned = this.#planned < Infinity ? this.#planned : undefined;
  }

  /** Returns the counts of the interval so far. Call it after `takeMostVus`. */
  live(): ScenarioCounts {
    const { name, iterations, interrupted, dropped } = this.counts;
    return { name, vus: this.#lastVus, atWork: this.#vus, iterations, interrupted, dropped };
  }
}
