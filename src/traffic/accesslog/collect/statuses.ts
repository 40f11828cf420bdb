import { ByteIndex } from "../../../base/byte_index.ts";
import { checkInteger, checkList, checkText } from "../profile/profile_checks.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestPart } from "../read/request_use.ts";
import type { LogCollector } from "./collector.ts";
import { NumberCache } from "./request_cache.ts";

/** Number of responses with each HTTP status. Status 0 counts log lines without a status. */
export type StatusCounts = ReadonlyMap<number, number>;

/** Counts the responses from each endpoint in a log by HTTP status. */
export class Statuses implements LogCollector {
  readonly kind = "statuses";
  readonly parts: readonly RequestPart[] = [];
  readonly #endpoints = new ByteIndex();
  readonly #known = new NumberCache("endpoint");
  readonly #counts: Map<number, number>[] = [];

  add(request: LogRequest): void {
    let endpoint = this.#known.get(request);
    if (endpoint < 0) {
      const { bytes, start, length } = request.key.route;
      endpoint = this.#endpoints.number(bytes, start, start + length);
      this.#known.set(request, endpoint);
    }
    this.#add(endpoint, request.status, 1);
  }

  /** Returns the counts of each endpoint, keyed by `METHOD route`. */
  byEndpoint(): Map<string, StatusCounts> {
    const decoder = new TextDecoder();
    return new Map(this.#counts.map((counts, i) => [
      decoder.decode(this.#endpoints.at(i).slice()),
      counts,
    ]));
  }

  /** Returns the counts of all endpoints, the most frequent status first. */
  total(): [status: number, count: number][] {
    const all = sumStatuses(this.#counts);
    return [...all].sort(([a, m], [b, n]) => n - m || a - b);
  }

  data(): ReadonlyMap<string, StatusCounts> {
    return this.byEndpoint();
  }

  merge(data: ReadonlyMap<string, StatusCounts>): void {
    const encoder = new TextEncoder();
    for (const [endpoint, counts] of data) {
      const number = this.#endpoints.number(encoder.encode(endpoint));
      for (const [status, count] of counts) this.#add(number, status, count);
    }
  }

  toJson(): unknown {
    return [...this.byEndpoint()].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([endpoint, counts]) => [endpoint, [...counts].sort(([a], [b]) => a - b)]);
  }

  fromJson(json: unknown): ReadonlyMap<string, StatusCounts> {
    return new Map(
      checkList(json, "`statuses`").map((row) => {
        const [endpoint, counts] = checkList(row, "an element of `statuses`");
        const pairs = checkList(counts, "the statuses of an endpoint").map((pair) => {
          const [status, count] = checkList(pair, "a status and its count");
          return [
            checkInteger(status, "a status", 999),
            checkInteger(count, "the number of responses with one status"),
          ] as const;
        });
        return [checkText(endpoint, "an endpoint"), new Map(pairs)];
      }),
    );
  }

  #add(endpoint: number, status: number, count: number): void {
    const counts = this.#counts[endpoint] ??= new Map();
    counts.set(status, (counts.get(status) ?? 0) + count);
  }
}

/** Adds up counts of statuses. */
export function sumStatuses(counts: Iterable<StatusCounts>): Map<number, number> {
  const all = new Map<number, number>();
  for (const one of counts) {
    for (const [status, count] of one) all.set(status, (all.get(status) ?? 0) + count);
  }
  return all;
}
