import type { Socket } from "../../http/sender.ts";
import type { LiveRow } from "./counts.ts";
import type { ErrorLog, Fault } from "./failures.ts";
import type { Counter, MetricSet, Rate, Tags, Trend } from "./metrics.ts";
import { type SampleBuffer, wallTime } from "./sample.ts";

/** Records the results of one check of one request. */
export class CheckSeries {
  readonly #counts: LiveRow<"checks">;
  readonly #rates: readonly Rate[];
  readonly #samples: SampleBuffer | undefined;

  constructor(counts: LiveRow<"checks">, rates: readonly Rate[], samples?: SampleBuffer) {
    this.#samples = samples;
    this.#counts = counts;
    this.#rates = rates;
  }

  record(passed: boolean): void {
    for (const rate of this.#rates) rate.add(passed);
    if (passed) this.#counts.passes++;
    else this.#counts.fails++;
    if (this.#samples === undefined) return;
    const { name: check, scenario, group, request: name = "" } = this.#counts;
    const time = wallTime(performance.now());
    this.#samples.add({ type: "check", time, scenario, group, name, check, passed });
  }
}

/** Records the server-sent events of one request step. */
export class EventSeries {
  readonly #events: readonly Counter[];
  readonly #first: readonly Trend[];

  constructor(set: MetricSet, tags: Tags) {
    this.#events = set.resolve("sse_events", tags);
    this.#first = set.resolve("sse_first_event", tags);
  }

  /** Records an event. */
  received(): void {
    for (const counter of this.#events) counter.add(1);
  }

  /**
   * Records that the first event of a response arrived `ms` milliseconds after the request started.
   */
  first(ms: number): void {
    for (const trend of this.#first) trend.addMs(ms);
  }
}

/** Numbers of bytes that a WebSocket has sent and received. */
export type SocketTraffic = Pick<Socket, "bytesSent" | "bytesReceived">;

/**
 * Records the sessions and messages of one `websocket` step. A `RequestSeries` records its upgrade
 * requests.
 */
export class SocketSeries {
  readonly #endpoint: LiveRow<"endpoints">;
  readonly #errors: ErrorLog;
  readonly #connecting: readonly Trend[];
  readonly #durations: readonly Trend[];
  readonly #failed: readonly Rate[];
  readonly #sent: readonly Counter[];
  readonly #received: readonly Counter[];
  readonly #dataSent: readonly Counter[];
  readonly #dataReceived: readonly Counter[];

  constructor(set: MetricSet, tags: Tags, endpoint: LiveRow<"endpoints">, errors: ErrorLog) {
    this.#endpoint = endpoint;
    this.#errors = errors;
    this.#connecting = set.resolve("ws_connecting", tags);
    this.#durations = set.resolve("ws_session_duration", tags);
    this.#failed = set.resolve("ws_session_failed", tags);
    this.#sent = set.resolve("ws_msgs_sent", tags);
    this.#received = set.resolve("ws_msgs_received", tags);
    this.#dataSent = set.resolve("data_sent", tags);
    this.#dataReceived = set.resolve("data_received", tags);
  }

  /** Records a WebSocket that opened in `ms` milliseconds, including connecting and TLS. */
  opened(ms: number): void {
    for (const trend of this.#connecting) trend.addMs(ms);
  }

  /** Records a session that could not be opened. */
  notOpened(): void {
    for (const rate of this.#failed) rate.add(true);
  }

  /** Records a message that was sent. */
  sent(): void {
    for (let i = 0; i < this.#sent.length; i++) this.#sent[i].add(1);
  }

  /** Records a message that was received. */
  received(): void {
    for (let i = 0; i < this.#received.length; i++) this.#received[i].add(1);
  }

  /** Records the bytes that a WebSocket sent and received between the states `before` and `now`. */
  traffic(before: SocketTraffic, now: SocketTraffic): void {
    const sent = now.bytesSent - before.bytesSent;
    const received = now.bytesReceived - before.bytesReceived;
    this.#endpoint.bytes_sent += sent;
    this.#endpoint.bytes_received += received;
    for (let i = 0; i < this.#dataSent.length; i++) this.#dataSent[i].add(sent);
    for (let i = 0; i < this.#dataReceived.length; i++) this.#dataReceived[i].add(received);
  }

  /**
   * Records an error that occurred while a WebSocket was open. A session can have several errors.
   */
  fault(fault: NonNullable<Fault>): void {
    this.#errors.add(fault, this.#endpoint);
  }

  /**
   * Records a session that ended after `ms` milliseconds. `failed` states whether the session
   * failed.
   */
  ended(ms: number, failed: boolean): void {
    for (const trend of this.#durations) trend.addMs(ms);
    for (const rate of this.#failed) rate.add(failed);
    if (failed) this.#endpoint.failed++;
  }
}
