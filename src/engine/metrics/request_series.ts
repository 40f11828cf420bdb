import type { Histogram } from "../../base/histogram.ts";
import type { ErrorKind, HttpResponse, Outgoing } from "../../http/sender.ts";
import { type KindOfMetric, type MetricName, METRICS } from "../../plan/text/metrics.ts";
import type { LiveRow } from "./counts.ts";
import type { SeriesRecorder } from "./endpoint_series.ts";
import type { FailureLog, Fault } from "./failures.ts";
import {
  addCount,
  addTime,
  type LiveMetric,
  mark,
  type MetricSet,
  type TagsOf,
} from "./metrics.ts";
import { type Sample, type SampleBuffer, type Tags, wallTime } from "./snapshot.ts";

/** First responses to each step that are kept in full, so that samples are complete. */
export const FIRST_SAMPLES = 10;
/** Further ones after a partly kept failure: the client must parse all their headers. */
const NEXT_SAMPLES = 1_000;

type RequestMetric = Exclude<
  Extract<MetricName, `http_req${string}` | `data_${string}`>,
  "http_req_retries"
>;

const REQUEST_METRICS = [...METRICS.keys()].filter((name) =>
  /^(?:http_req|data_)/.test(name) && name !== "http_req_retries"
) as RequestMetric[];

type Sink =
  & { failure?: LiveRow<"failures"> }
  & { readonly [Name in RequestMetric]: readonly LiveMetric<KindOfMetric<Name>>[] };

type Outcome = TagsOf<"status"> & Partial<TagsOf<"error_kind">>;

export interface SeriesParts {
  readonly set: MetricSet;
  readonly failures: FailureLog;
  readonly samples: SampleBuffer | undefined;
}

/** Records the requests of one step. Looks up the metrics of each outcome only once. */
export class RequestSeries {
  readonly #tags: Tags;
  readonly #parts: SeriesParts;
  readonly #counts: LiveRow<"endpoints">;
  /** Fields of `#counts`. Reading them once saves about 25 ns per request. */
  readonly #statuses: Record<number, number>;
  readonly #durations: Histogram;
  readonly #series: SeriesRecorder;
  readonly #byStatus: (Sink | undefined)[] = [];
  readonly #byError = new Map<string, Sink>();

  constructor(tags: Tags, counts: LiveRow<"endpoints">, parts: SeriesParts) {
    this.#tags = tags;
    this.#parts = parts;
    this.#counts = counts;
    this.#statuses = counts.statuses;
    this.#durations = counts.histogram;
    this.#series = counts.series!;
  }

  /**
   * Records one request and its response. `failed` states whether the request failed. `scheduledAt`
   * is the iteration's scheduled start in clock time if this is the first request of an open-model
   * iteration, otherwise NaN.
   */
  record(response: HttpResponse, failed: boolean, fault: Fault, scheduledAt: number): void {
    const sink = this.#sink(response.status, fault?.kind);
    const { sendingMs, waitingMs, receivingMs } = response;
    const duration = sendingMs + waitingMs + receivingMs;
    addCount(sink.http_reqs, 1);
    addCount(sink.data_sent, response.bytesSent);
    addCount(sink.data_received, response.bytesReceived);
    mark(sink.http_req_failed, failed);
    addTime(sink.http_req_duration, duration);
    addTime(sink.http_req_blocked, response.blockedMs);
    addTime(sink.http_req_connecting, response.connectingMs);
    addTime(sink.http_req_tls_handshaking, response.tlsMs);
    addTime(sink.http_req_sending, sendingMs);
    addTime(sink.http_req_waiting, waitingMs);
    addTime(sink.http_req_receiving, receivingMs);
    if (response.retries > 0) {
      addCount(this.#parts.set.resolve("http_req_retries", this.#tags), response.retries);
    }
    if (scheduledAt === scheduledAt) {
      addTime(sink.http_req_latency_corrected, responseEnd(response) - scheduledAt);
    }
    this.#count(response, duration);
    if (failed) {
      this.#counts.failed++;
      this.#failure(sink, response.status, fault).count++;
    }
    const { failures, samples } = this.#parts;
    if (fault !== undefined) failures.addError(fault, this.#counts);
    samples?.add(this.#sample(response, failed, fault, scheduledAt));
  }

  /**
   * Keeps the request and response as a sample of the failures with this status and fault, unless a
   * complete sample already exists. If parts of the response are missing, the next responses are
   * kept in full. Call it after `record`.
   */
  keepFailure(request: Outgoing, response: HttpResponse, fault: Fault): void {
    const { status } = response;
    const failure = this.#failure(this.#sink(status, fault?.kind), status, fault);
    const { failures } = this.#parts;
    if (failures.keep(failure, request, response)) request.needs.sampleNext = NEXT_SAMPLES;
  }

  /** Records a request that could not be sent, for example because a variable is not set. */
  recordUnsent(fault: NonNullable<Fault>): void {
    const sink = this.#sink(0, fault.kind);
    mark(sink.http_req_failed, true);
    this.#failure(sink, 0, fault).count++;
    this.#counts.failed++;
    this.#counts.unsent!++;
    this.#parts.failures.addError(fault, this.#counts);
  }

  recordOmittedHeaders(count: number): void {
    this.#counts.omitted_headers! += count;
  }

  #failure(sink: Sink, status: number, fault: Fault): LiveRow<"failures"> {
    return sink.failure ??= this.#parts.failures.row(this.#counts, status, fault);
  }

  #sample(
    response: HttpResponse,
    failed: boolean,
    fault: Fault,
    scheduledAt: number,
  ): Sample {
    const { sendingMs, waitingMs, receivingMs } = response;
    const end = responseEnd(response);
    return {
      type: "request",
      time: wallTime(end),
      tags: this.#tags,
      status: response.status,
      failed,
      error_kind: fault?.kind,
      data_sent: response.bytesSent,
      data_received: response.bytesReceived,
      http_req_duration: sendingMs + waitingMs + receivingMs,
      http_req_blocked: response.blockedMs,
      http_req_connecting: response.connectingMs,
      http_req_tls_handshaking: response.tlsMs,
      http_req_sending: sendingMs,
      http_req_waiting: waitingMs,
      http_req_receiving: receivingMs,
      http_req_latency_corrected: Number.isNaN(scheduledAt) ? undefined : end - scheduledAt,
    };
  }

  #count({ status, bytesSent, bytesReceived }: HttpResponse, duration: number): void {
    const counts = this.#counts;
    counts.count++;
    counts.bytes_sent += bytesSent;
    counts.bytes_received += bytesReceived;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    const us = duration * 1_000 + 0.5;
    this.#durations.record(us);
    this.#series.record(us, 1);
  }

  #sink(status: number, kind: ErrorKind | undefined): Sink {
    if (kind === undefined) return this.#byStatus[status] ??= this.#resolve(status);
    const key = `${status} ${kind}`;
    const sink = this.#byError.get(key) ?? this.#resolve(status, kind);
    this.#byError.set(key, sink);
    return sink;
  }

  #resolve(status: number, kind?: ErrorKind): Sink {
    const outcome: Outcome = { status: String(status), ...(kind && { error_kind: kind }) };
    const tags = { ...this.#tags, ...outcome };
    const { set } = this.#parts;
    const sink = REQUEST_METRICS.map((name) => [name, set.resolve(name, tags)]);
    return Object.fromEntries(sink) as Sink;
  }
}

/** Returns the `performance.now()` time at which the last byte arrived or the exchange failed. */
export function responseEnd(response: HttpResponse): number {
  return response.startedAt + response.blockedMs + response.connectingMs + response.tlsMs +
    response.sendingMs + response.waitingMs + response.receivingMs;
}
