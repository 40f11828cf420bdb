import type { LogRequest } from "./log_request.ts";

/** Selects requests. */
export interface RequestFilter {
  /** Reports whether the request passes the filter. */
  keeps(request: LogRequest): boolean;
}

/** Collects information from the requests that pass all filters. */
export interface RequestCollector {
  /** Adds a request, which is valid only during the call. */
  add(request: LogRequest): void;
}

/** Filters and collectors for the requests of a log. */
export interface RequestUse {
  readonly filters: readonly RequestFilter[];
  readonly collectors: readonly RequestCollector[];
}

/** No filters and no collectors: requests are only counted. */
export const COUNT_ONLY: RequestUse = { filters: [], collectors: [] };

/** Reports whether a filter or collector needs each request, which rules out `LineCounter`. */
export function needsEachRequest({ filters, collectors }: RequestUse): boolean {
  return filters.length + collectors.length > 0;
}
