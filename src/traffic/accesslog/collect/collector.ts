import type { LogRequest } from "../read/log_request.ts";

/**
 * A part of a request that `LineCounter` finds only in some formats: the client, the user agent,
 * the host, the duration, the query, or the milliseconds of the timestamp. `others` means all other
 * parts, which `LineCounter` never finds.
 */
export type RequestPart =
  | "client"
  | "agent"
  | "host"
  | "duration"
  | "query"
  | "milliseconds"
  | "others";

export interface RequestUser {
  /**
   * Parts of a request that the filter or collector uses, besides time, status, method, path and
   * endpoint. Default: all, including `others`.
   */
  readonly parts?: readonly RequestPart[];
}

/**
 * What the result of a filter depends on. `second` is the second of the timestamp. `path` is the
 * method and the path, which differ within an endpoint only if the endpoint has ids. `agent` is the
 * user agent. `request` is anything in the request.
 */
export type FilterScope = "second" | "status" | "endpoint" | "path" | "agent" | "host" | "request";

/** Decides whether to keep each request in a log. */
export interface RequestFilter extends RequestUser {
  /**
   * What the result depends on. `LineCounter` caches results by scope, and does not call the filter
   * again if the result is known. Default: `request`.
   */
  readonly scope?: FilterScope;
  /**
   * Number of requests that pass all preceding filters but not this one. The caller counts them.
   */
  dropped: number;
  keeps(request: LogRequest): boolean;
  /**
   * For the `path` scope: reports whether the result is guaranteed to be the same for all requests
   * to the endpoint of `request`, whose path contains ids. If this method is absent, the results
   * may differ.
   */
  isSameForEndpoint?(request: LogRequest): boolean;
}

/** Collects information from the requests that pass all filters. */
export interface RequestCollector extends RequestUser {
  /**
   * Sampling level of visitors (see `visitorLevel`) below which `add` ignores a request. Default:
   * 0, which is the level of all visitors.
   */
  readonly level?: number;
  /** Processes one request. The object is reused, so it is valid only during the call. */
  add(request: LogRequest): void;
}

/** Filters and collectors to apply to the requests in a log. */
export interface RequestUse {
  readonly filters: readonly RequestFilter[];
  readonly collectors: readonly RequestCollector[];
}

/** A `RequestUse` without filters or collectors. Requests are only counted. */
export const COUNT_ONLY: RequestUse = { filters: [], collectors: [] };

/** Returns the parts of a request that the filters and collectors use. */
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

/**
 * Collects information from the requests in a log. If separate collectors read parts of a log,
 * merging them gives exactly the same state as reading the whole log with one collector.
 */
export interface LogCollector extends RequestCollector {
  /**
   * Name of the collector, from which another thread can create an equivalent collector (see
   * `createCollector`).
   */
  readonly kind: CollectorKind;
  /**
   * Settings from which another thread creates an equivalent collector; must be serializable as
   * JSON.
   */
  readonly settings?: unknown;
  /** Memory that equivalent collectors of other threads use too; absent if they need none. */
  readonly shared?: SharedArrayBuffer;
  /**
   * Returns the contents as JSON, for a traffic profile. Equal collectors return equal values.
   */
  toJson(): unknown;
  /**
   * Returns the contents in a form that is faster to send to another thread. Default: `toJson()`.
   */
  data?(): unknown;
  /**
   * Adds the contents (`data` or `toJson`) of another collector with the same settings, which read
   * another part of the log. `bytes` is the byte offset in the log at which that part starts.
   * Throws `InvalidProfile` if they are not valid.
   */
  merge(collected: unknown, bytes: number): void;
}
