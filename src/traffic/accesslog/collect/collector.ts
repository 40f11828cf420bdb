import { type LogRequest, MAX_NUMBER } from "../read/log_request.ts";
import { ByteIndex } from "../../../base/byte_index.ts";

/** Parts that `LineCounter` finds only in some formats; `others` are those it never finds. */
export type RequestPart =
  | "client"
  | "agent"
  | "host"
  | "duration"
  | "query"
  | "milliseconds"
  | "others";

export interface RequestUser {
  /** Parts used besides time, status, method, path and endpoint. By default, all. */
  readonly parts?: readonly RequestPart[];
}

/** What a filter's result depends on: `path` is the method and path, `request` anything at all. */
export type FilterScope = "second" | "status" | "endpoint" | "path" | "agent" | "host" | "request";

export interface RequestFilter extends RequestUser {
  /** `LineCounter` caches results by scope. Default: `request`. */
  readonly scope?: FilterScope;
  /** Requests that pass all preceding filters but not this one; the caller counts them. */
  dropped: number;
  keeps(request: LogRequest): boolean;
  /** For the `path` scope: all requests to an endpoint with ids get the same result. */
  isSameForEndpoint?(request: LogRequest): boolean;
}

export interface RequestCollector extends RequestUser {
  /** Sampling level of visitors below which `add` ignores a request. By default, 0. */
  readonly level?: number;
  /** The object is reused: it is valid only during the call. */
  add(request: LogRequest): void;
}

export interface RequestUse {
  readonly filters: readonly RequestFilter[];
  readonly collectors: readonly RequestCollector[];
}

export const COUNT_ONLY: RequestUse = { filters: [], collectors: [] };

export function neededParts({ filters, collectors }: RequestUse): Set<RequestPart> {
  return new Set([...filters, ...collectors].flatMap(({ parts = ["others"] }) => parts));
}

/** Names of the log collectors that `createCollector` can create. */
export const COLLECTOR_KINDS = [
  "timings",
  "ids",
  "queries",
  "visits",
  "statuses",
  "entry",
] as const;

/** Name of a log collector that `createCollector` can create. */
export type CollectorKind = typeof COLLECTOR_KINDS[number];

/** Collects from requests. Merging the collectors of a log's parts equals collecting the log. */
export interface LogCollector extends RequestCollector {
  readonly kind: CollectorKind;
  /** Settings for an equivalent collector in another thread, as JSON. */
  readonly settings?: unknown;
  /** Memory that equivalent collectors of other threads use too; absent if they need none. */
  readonly shared?: SharedArrayBuffer;
  /** Contents for a traffic profile or another thread. Equal collectors return equal values. */
  toJson(): unknown;
  /** Adds what a collector of the part from offset `bytes` collected. Throws `InvalidProfile`. */
  merge(collected: unknown, bytes: number): void;
}

export class NumberCache {
  readonly #numbers = new Int32Array(MAX_NUMBER + 1);
  #generation = -1;

  /** Returns the number that was set for a request to the same endpoint, or -1 if none was set. */
  get({ endpoint, generation }: LogRequest): number {
    if (endpoint < 0 || generation !== this.#generation) return -1;
    return this.#numbers[endpoint] - 1;
  }

  set({ endpoint, generation }: LogRequest, number: number): void {
    if (endpoint < 0) return;
    if (generation !== this.#generation) this.clear();
    this.#generation = generation;
    this.#numbers[endpoint] = number + 1;
  }

  clear(): void {
    this.#numbers.fill(0);
  }
}

export class EndpointIndex extends ByteIndex {
  readonly #known = new NumberCache();

  of(request: LogRequest): number {
    const known = this.#known.get(request);
    if (known >= 0) return known;
    const { bytes, from, to } = request.key;
    const number = this.number(bytes, from, to);
    this.#known.set(request, number);
    return number;
  }
}
