import type { LogRequest } from "./log_request.ts";

/** Decides whether to keep each request in a log. */
export interface RequestFilter {
  /** Reports whether the request passes the filter. */
  keeps(request: LogRequest): boolean;
}

/** Collects information from the requests that pass all filters. */
export interface RequestCollector {
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

/**
 * Reports whether there is a filter or a collector. If so, each request must be parsed, and the
 * `LineCounter` cannot be used.
 */
export function needsEachRequest({ filters, collectors }: RequestUse): boolean {
  return filters.length + collectors.length > 0;
}
