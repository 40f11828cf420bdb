import { type SampleBuffer, wallTime } from "./sample.ts";
import type { ErrorKind, HttpResponse } from "../../http/sender.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ErrorLog, Fault } from "./error_log.ts";
import type { Counter, Rate, Trend } from "./metric.ts";
import type { MetricSet, Tags } from "./metric_set.ts";

/** Metrics to which a request with a certain status and kind of error is added. */
interface Sink {
  readonly status: Counter;
  readonly requests: readonly Counter[];
  readonly failed: readonly Rate[];
  readonly sent: readonly Counter[];
  readonly received: readonly Counter[];
  readonly duration: readonly Trend[];
  readonly blocked: readonly Trend[];
  readonly connecting: readonly Trend[];
  readonly tls: readonly Trend[];
  readonly sending: readonly Trend[];
  readonly waiting: readonly Trend[];
  readonly receiving: readonly Trend[];
  readonly corrected: readonly Trend[];
}

/**
 * Records the samples of one request step. The metrics for a status and kind of error are looked up
 * once; after that, recording builds no tags and no strings.
 */
export class RequestSeries {
  readonly #set: MetricSet;
  readonly #tags: Tags;
  readonly #endpoint: Endpoint;
  readonly #errors: ErrorLog;
  readonly #samples: SampleBuffer | undefined;
  readonly #byStatus: (Sink | undefined)[] = [];
  readonly #byError = new Map<string, Sink>();

  constructor(
    set: MetricSet,
    tags: Tags,
    endpoint: Endpoint,
    errors: ErrorLog,
    samples?: SampleBuffer,
  ) {
    this.#samples = samples;
    this.#set = set;
    this.#tags = tags;
    this.#endpoint = endpoint;
    this.#errors = errors;
  }

  /**
   * Records one exchange. `scheduledAt` is the scheduled time of the iteration on the clock if this
   * is the first exchange of an open-model iteration, otherwise NaN.
   */
  record(response: HttpResponse, failed: boolean, fault: Fault, scheduledAt: number): void {
    const sink = this.#sink(response.status, fault?.kind);
    const { sendingMs, waitingMs, receivingMs } = response;
    const duration = sendingMs + waitingMs + receivingMs;
    sink.status.add(1);
    add(sink.requests, 1);
    add(sink.sent, response.bytesSent);
    add(sink.received, response.bytesReceived);
    for (let i = 0; i < sink.failed.length; i++) sink.failed[i].add(failed);
    time(sink.duration, duration);
    time(sink.blocked, response.blockedMs);
    time(sink.connecting, response.connectingMs);
    time(sink.tls, response.tlsMs);
    time(sink.sending, sendingMs);
    time(sink.waiting, waitingMs);
    time(sink.receiving, receivingMs);
    if (scheduledAt === scheduledAt) time(sink.corrected, responseEnd(response) - scheduledAt);
    this.#count(response, duration);
    if (failed) this.#endpoint.failed++;
    if (fault !== undefined) this.#errors.add(fault, this.#endpoint.key);
    if (this.#samples !== undefined) {
      this.#sample(this.#samples, response, failed, fault, scheduledAt);
    }
  }

  /** Records a request that could not be sent, for example because a variable is not set. */
  recordUnsent(fault: NonNullable<Fault>): void {
    for (const rate of this.#sink(0, fault.kind).failed) rate.add(true);
    this.#endpoint.failed++;
    this.#endpoint.unsent++;
    this.#errors.add(fault, this.#endpoint.key);
  }

  #sample(
    samples: SampleBuffer,
    response: HttpResponse,
    failed: boolean,
    fault: Fault,
    scheduledAt: number,
  ): void {
    const { sendingMs, waitingMs, receivingMs } = response;
    const end = responseEnd(response);
    samples.add({
      type: "request",
      time: wallTime(end),
      tags: this.#tags,
      status: response.status,
      failed,
      ...(fault && { error_kind: fault.kind }),
      data_sent: response.bytesSent,
      data_received: response.bytesReceived,
      http_req_duration: sendingMs + waitingMs + receivingMs,
      http_req_blocked: response.blockedMs,
      http_req_connecting: response.connectingMs,
      http_req_tls_handshaking: response.tlsMs,
      http_req_sending: sendingMs,
      http_req_waiting: waitingMs,
      http_req_receiving: receivingMs,
      ...(!Number.isNaN(scheduledAt) && { http_req_latency_corrected: end - scheduledAt }),
    });
  }

  #count(response: HttpResponse, duration: number): void {
    this.#endpoint.count++;
    this.#endpoint.bytesSent += response.bytesSent;
    this.#endpoint.bytesReceived += response.bytesReceived;
    this.#endpoint.durations.record(duration * 1_000 + 0.5);
  }

  #sink(status: number, kind: ErrorKind | undefined): Sink {
    if (kind === undefined) return this.#byStatus[status] ??= this.#resolve(status, kind);
    const key = `${status} ${kind}`;
    let sink = this.#byError.get(key);
    if (sink === undefined) this.#byError.set(key, sink = this.#resolve(status, kind));
    return sink;
  }

  #resolve(status: number, kind: ErrorKind | undefined): Sink {
    const tags = { ...this.#tags, status: String(status), ...(kind && { error_kind: kind }) };
    const counters = (name: string) => this.#set.resolve("counter", name, tags);
    const trends = (name: string) => this.#set.resolve("trend", `http_req_${name}`, tags);
    return {
      status: this.#endpoint.status(status),
      requests: counters("http_reqs"),
      failed: this.#set.resolve("rate", "http_req_failed", tags),
      sent: counters("data_sent"),
      received: counters("data_received"),
      duration: trends("duration"),
      blocked: trends("blocked"),
      connecting: trends("connecting"),
      tls: trends("tls_handshaking"),
      sending: trends("sending"),
      waiting: trends("waiting"),
      receiving: trends("receiving"),
      corrected: trends("latency_corrected"),
    };
  }
}

/** Returns the `performance.now()` time at which the last byte arrived or the exchange failed. */
export function responseEnd(response: HttpResponse): number {
  return response.startedAt + response.blockedMs + response.connectingMs + response.tlsMs +
    response.sendingMs +
    response.waitingMs + response.receivingMs;
}

// Lists have one or two items: a plain loop costs a third of `for … of` here.
function add(counters: readonly Counter[], n: number): void {
  for (let i = 0; i < counters.length; i++) counters[i].add(n);
}

function time(trends: readonly Trend[], ms: number): void {
  for (let i = 0; i < trends.length; i++) trends[i].addMs(ms);
}
