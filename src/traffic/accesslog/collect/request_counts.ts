import * as z from "zod";
import { bucketIndex, Histogram, mergeHistograms } from "../../../base/histogram.ts";
import { addSeconds, checked, InvalidProfile } from "../profile/parse_profile.ts";
import { TrafficProfile } from "../profile/traffic_profile.ts";
import { LogRequest } from "../read/log_request.ts";
import { RequestLineReader } from "../read/request_reader.ts";
import { EndpointIndex, type LogCollector, type RequestPart } from "./collector.ts";

/** Status 0 counts log lines without a status. */
export type StatusCounts = ReadonlyMap<number, number>;

const COUNT = z.int().min(0);
const STATUSES = z.array(
  z.tuple([z.string(), z.array(z.tuple([COUNT.max(999), COUNT]))]),
);

/** Counts the responses from each endpoint in a log by HTTP status. */
export class Statuses implements LogCollector {
  readonly kind = "statuses";
  readonly parts: readonly RequestPart[] = [];
  readonly #endpoints = new EndpointIndex();
  readonly #counts: Map<number, number>[] = [];

  add(request: LogRequest): void {
    this.#add(this.#endpoints.of(request), request.status, 1);
  }

  byEndpoint(): Map<string, StatusCounts> {
    const decoder = new TextDecoder();
    return new Map(this.#counts.map((counts, i) => [
      decoder.decode(this.#endpoints.at(i).slice()),
      counts,
    ]));
  }

  total(): [status: number, count: number][] {
    const all = sumStatuses(this.#counts);
    return [...all].sort(([a, m], [b, n]) => n - m || a - b);
  }

  toJson(): unknown {
    return [...this.byEndpoint()].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([endpoint, counts]) => [endpoint, [...counts].sort(([a], [b]) => a - b)]);
  }

  merge(json: unknown): void {
    const encoder = new TextEncoder();
    for (const [endpoint, counts] of checked(STATUSES, json, "`statuses`")) {
      const number = this.#endpoints.number(encoder.encode(endpoint));
      for (const [status, count] of counts) this.#add(number, status, count);
    }
  }

  #add(endpoint: number, status: number, count: number): void {
    const counts = this.#counts[endpoint] ??= new Map();
    counts.set(status, (counts.get(status) ?? 0) + count);
  }
}

/** Adds up counts of statuses. */
export function sumStatuses(counts: Iterable<StatusCounts>): Map<number, number> {
  const total = new Map<number, number>();
  for (const statuses of counts) {
    for (const [status, count] of statuses) total.set(status, (total.get(status) ?? 0) + count);
  }
  return total;
}

const TIMINGS = z.object({
  withStatus: COUNT,
  failed: COUNT,
  sum: COUNT,
  min: COUNT,
  max: COUNT,
  durations: z.array(z.tuple([COUNT, COUNT.max(2 ** 32 - 1)])),
});

/** Collects the durations of the requests in a log and counts the failed requests. */
export class Timings implements LogCollector {
  readonly kind = "timings";
  readonly parts: readonly RequestPart[] = ["duration"];
  /** In microseconds. Omits lines without a duration. */
  readonly durations: Histogram = new Histogram();
  withStatus = 0;
  failed = 0;

  add({ status, durationMs }: LogRequest): void {
    if (durationMs >= 0) this.durations.record(Math.round(durationMs * 1_000));
    if (status === 0) return;
    this.withStatus++;
    if (status >= 400) this.failed++;
  }

  toJson(): unknown {
    const { durations, withStatus, failed } = this;
    const { sum, min, max } = durations;
    return { withStatus, failed, sum, min, max, durations: [...durations.buckets()] };
  }

  merge(json: unknown): void {
    const { withStatus, failed, durations, ...range } = checked(TIMINGS, json, "`timings`");
    const buckets = durations.map(([lowest, count]) => ({ index: bucketIndex(lowest), count }));
    const counts = new Uint32Array(1 + Math.max(0, ...buckets.map(({ index }) => index)));
    for (const { index, count } of buckets) counts[index] += count;
    const count = buckets.reduce((all, bucket) => all + bucket.count, 0);
    this.durations.addData(mergeHistograms({ counts, count, ...range }).data());
    this.withStatus += withStatus;
    this.failed += failed;
  }
}

const ENTRY = z.object({
  endpoint: z.string(),
  seconds: z.array(z.tuple([COUNT, z.array(COUNT)])),
});

/** Builds a separate traffic profile of the requests to one endpoint. */
export class EntryRequests implements LogCollector {
  readonly kind = "entry";
  readonly parts: readonly RequestPart[] = [];
  readonly settings: { readonly method: string; readonly target: string };
  /** Traffic profile of the requests to the endpoint. Its number of malformed lines is always 0. */
  readonly profile: TrafficProfile = new TrafficProfile();
  readonly #key: Uint8Array;
  readonly #hasId: boolean;

  constructor(method: string, target: string) {
    this.settings = { method, target };
    const line = new TextEncoder().encode(`${method} ${target} HTTP/1.1`);
    const request = new LogRequest();
    const { key } = request;
    const reader = new RequestLineReader(request, { escapes: "none" });
    const isRequest = reader.readLine(line, 0, line.length) === undefined;
    this.#key = isRequest ? key.bytes.slice(key.from, key.to) : new Uint8Array();
    this.#hasId = isRequest && key.hasId;
  }

  /** `METHOD route`, or empty if the constructor's method or target is invalid. */
  get endpoint(): string {
    return new TextDecoder().decode(this.#key);
  }

  add({ key, second }: LogRequest): void {
    const { bytes, from, to } = key;
    if (to - from !== this.#key.length) return;
    for (let i = from; i < to; i++) if (bytes[i] !== this.#key[i - from]) return;
    this.profile.count(second, key, 0);
  }

  toJson(): unknown {
    const seconds = this.profile.seconds.runs().map(({ start, counts }) => [start, counts]);
    return { endpoint: this.endpoint, seconds };
  }

  merge(json: unknown): void {
    const { endpoint, seconds } = checked(ENTRY, json, "`entry`");
    if (endpoint !== this.endpoint) {
      throw new InvalidProfile(`it counts the requests to ${endpoint}, not to ${this.endpoint}`);
    }
    const requests = addSeconds(this.profile.seconds, seconds);
    this.profile.requests += requests;
    if (this.#hasId) this.profile.withId += requests;
    if (requests > 0) this.profile.table.add(this.#key, 0, this.#key.length, requests, 0);
  }
}
