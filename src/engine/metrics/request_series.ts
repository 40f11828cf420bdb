import { type SampleBuffer, wallTime } from "../outputs/sample_buffer.ts";
import type { ErrorKind, HttpResponse } from "../sender.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Fault } from "./request_fault.ts";
import type { ErrorLog } from "./error_log.ts";
import type { Counter, Rate, Trend } from "./metric.ts";
import type { MetricSet, Tags } from "./metric_set.ts";

/** Where the samples of one kind of answer go. */
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
 * The samples of one request of a flow. Which metrics a sample belongs to is looked up once for each
 * status (and kind of error) that occurs; after that, recording builds no tags and no strings.
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

  /** Records one exchange; `scheduledAt` when it is the first of an open-model iteration, else NaN. */
  record(reply: HttpResponse, failed: boolean, fault: Fault, scheduledAt: number): void {
    const sink = this.#sink(reply.status, fault?.kind);
    const { sendingMs, waitingMs, receivingMs } = reply;
    const duration = sendingMs + waitingMs + receivingMs;
    sink.status.add(1);
    add(sink.requests, 1);
    add(sink.sent, reply.bytesSent);
    add(sink.received, reply.bytesReceived);
    for (let i = 0; i < sink.failed.length; i++) sink.failed[i].add(failed);
    time(sink.duration, duration);
    time(sink.blocked, reply.blockedMs);
    time(sink.connecting, reply.connectingMs);
    time(sink.tls, reply.tlsMs);
    time(sink.sending, sendingMs);
    time(sink.waiting, waitingMs);
    time(sink.receiving, receivingMs);
    if (scheduledAt === scheduledAt) time(sink.corrected, replyEnd(reply) - scheduledAt);
    this.#count(reply, duration);
    if (failed) this.#endpoint.failed++;
    if (fault !== undefined) this.#errors.add(fault, this.#endpoint.key);
    if (this.#samples !== undefined) this.#sample(this.#samples, reply, failed, fault, scheduledAt);
  }

  /** Records a request that could not be sent, such as for want of a variable. */
  recordUnsent(fault: NonNullable<Fault>): void {
    for (const rate of this.#sink(0, fault.kind).failed) rate.add(true);
    this.#endpoint.failed++;
    this.#endpoint.unsent++;
    this.#errors.add(fault, this.#endpoint.key);
  }

  #sample(
    samples: SampleBuffer,
    reply: HttpResponse,
    failed: boolean,
    fault: Fault,
    scheduledAt: number,
  ): void {
    const { sendingMs, waitingMs, receivingMs } = reply;
    const end = replyEnd(reply);
    samples.add({
      type: "request",
      time: wallTime(end),
      tags: this.#tags,
      status: reply.status,
      failed,
      ...(fault && { error_kind: fault.kind }),
      data_sent: reply.bytesSent,
      data_received: reply.bytesReceived,
      http_req_duration: sendingMs + waitingMs + receivingMs,
      http_req_blocked: reply.blockedMs,
      http_req_connecting: reply.connectingMs,
      http_req_tls_handshaking: reply.tlsMs,
      http_req_sending: sendingMs,
      http_req_waiting: waitingMs,
      http_req_receiving: receivingMs,
      ...(!Number.isNaN(scheduledAt) && { http_req_latency_corrected: end - scheduledAt }),
    });
  }

  #count(reply: HttpResponse, duration: number): void {
    this.#endpoint.count++;
    this.#endpoint.bytesSent += reply.bytesSent;
    this.#endpoint.bytesReceived += reply.bytesReceived;
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

/** When the last byte had arrived, or the exchange had failed. */
export function replyEnd(reply: HttpResponse): number {
  return reply.startedAt + reply.blockedMs + reply.connectingMs + reply.tlsMs + reply.sendingMs +
    reply.waitingMs + reply.receivingMs;
}

// Lists of one or two: a plain loop costs a third of `for … of` here.
function add(counters: readonly Counter[], n: number): void {
  for (let i = 0; i < counters.length; i++) counters[i].add(n);
}

function time(trends: readonly Trend[], ms: number): void {
  for (let i = 0; i < trends.length; i++) trends[i].addMs(ms);
}
