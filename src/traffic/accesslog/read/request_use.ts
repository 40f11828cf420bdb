import type { LogRequest } from "./log_request.ts";

/** Decides for each request of a log whether to keep it. */
export interface RequestFilter {
  /** Reports whether the request passes the filter. */
  keeps(request: LogRequest): boolean;
}

/** Collects information from the requests that pass all filters. */
export interface RequestCollector {
  /** Processes one request. The object is reused: it is valid only during the call. */
  add(request: LogRequest): void;
}

/** Filters and collectors to apply to the requests of a log. */
export interface RequestUse {
  readonly filters: readonly RequestFilter[];
  readonly collectors: readonly RequestCollector[];
}

/** A `RequestUse` without filters and collectors: requests are only counted. */
export const COUNT_ONLY: RequestUse = { filters: [], collectors: [] };

/**
 * Reports whether a filter or collector needs each request. If so, the `LineCounter` cannot be
 * used, because it does not parse requests.
 */
export function needsEachRequest({ filters, collectors }: RequestUse): boolean {
  return filters.length + collectors.length > 0;
}
