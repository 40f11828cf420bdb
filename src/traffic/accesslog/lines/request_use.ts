import type { LogRequest } from "./log_request.ts";

/** Decides whether a request counts. */
export interface RequestFilter {
  /** Whether it does. */
  keeps(request: LogRequest): boolean;
}

/** Learns from the requests that count. */
export interface RequestCollector {
  /** `request` is valid during the call only. */
  add(request: LogRequest): void;
}

/** What becomes of the requests of a log beside being counted. */
export interface RequestUse {
  readonly filters: readonly RequestFilter[];
  readonly collectors: readonly RequestCollector[];
}

/** They are counted, and that is all. */
export const COUNT_ONLY: RequestUse = { filters: [], collectors: [] };

/** Whether somebody looks at each request, so that counting them is not enough. */
export function needsEachRequest({ filters, collectors }: RequestUse): boolean {
  return filters.length + collectors.length > 0;
}
