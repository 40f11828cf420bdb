import type { Socket } from "../../http/sender.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ErrorLog, Fault } from "./error_log.ts";
import type { Counter, Rate, Trend } from "./metric.ts";
import type { MetricSet, Tags } from "./metric_set.ts";

/** Numbers of bytes that a WebSocket has sent and received. */
export type SocketTraffic = Pick<Socket, "bytesSent" | "bytesReceived">;

/**
 * Records the sessions and messages of one `websocket` step. A `RequestSeries` records its upgrade
 * requests.
 */
export class SocketSeries {
  readonly #endpoint: Endpoint;
  readonly #errors: ErrorLog;
  readonly #connecting: readonly Trend[];
  readonly #durations: readonly Trend[];
  readonly #failed: readonly Rate[];
  readonly #sent: readonly Counter[];
  readonly #received: readonly Counter[];
  readonly #dataSent: readonly Counter[];
  readonly #dataReceived: readonly Counter[];

  constructor(set: MetricSet, tags: Tags, endpoint: Endpoint, errors: ErrorLog) {
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
    this.#endpoint.bytesSent += sent;
    this.#endpoint.bytesReceived += received;
    for (let i = 0; i < this.#dataSent.length; i++) this.#dataSent[i].add(sent);
    for (let i = 0; i < this.#dataReceived.length; i++) this.#dataReceived[i].add(received);
  }

  /**
   * Records an error that occurred while a WebSocket was open. A session can have several errors.
   */
  fault(fault: NonNullable<Fault>): void {
    this.#errors.add(fault, this.#endpoint.key);
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
