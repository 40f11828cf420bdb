import type { LogCollector } from "./collect/collector.ts";
import { type CollectorReference, createCollector } from "./collectors.ts";
import { buildFilters, type CountedFilter, type FilterOptions } from "./collect/filters.ts";
import { createFormat, type FormatReference, referToFormat } from "./format_reference.ts";
import type { LogFormat } from "./read/log_format.ts";
import type { RequestCollector, RequestUse } from "./read/request_use.ts";

/** Filters and collectors for the requests of a log. */
export interface LogUse extends RequestUse {
  readonly filters: readonly CountedFilter[];
  /**
   * Options from which the filters were built, so that other threads can build equivalent filters.
   * If this is absent and there are filters, only one thread reads the log.
   */
  readonly filterOptions?: FilterOptions;
}

/** Parameters for reading a log, as data that can be sent to another thread. */
export interface ReadingReference {
  readonly format: FormatReference;
  readonly filters: FilterOptions;
  readonly collectors: readonly CollectorReference[];
}

/** What one of several threads uses to read a log. */
export interface ThreadReading {
  readonly format: LogFormat;
  readonly use: {
    readonly filters: readonly CountedFilter[];
    readonly collectors: readonly LogCollector[];
  };
}

/**
 * Returns the parameters that another thread needs to read the log in the same way. Returns
 * undefined if another thread cannot recreate the format, a filter or a collector.
 */
export function referToReading(format: LogFormat, use: LogUse): ReadingReference | undefined {
  const reference = referToFormat(format);
  const { filters, filterOptions = {}, collectors } = use;
  if (reference === undefined || !collectors.every(isMergeable)) return undefined;
  if (filters.length > 0 && use.filterOptions === undefined) return undefined;
  return {
    format: reference,
    filters: filterOptions,
    collectors: collectors.map(({ kind, settings }) => ({ kind, settings })),
  };
}

/**
 * Reports whether the collector can merge results that were collected separately from several parts
 * of a log.
 */
export function isMergeable(collector: RequestCollector): collector is LogCollector {
  return "kind" in collector;
}

/** Creates the format, filters and collectors that a thread needs to read a log. */
export function createReading({ format, filters, collectors }: ReadingReference): ThreadReading {
  return {
    format: createFormat(format),
    use: { filters: buildFilters(filters), collectors: collectors.map(createCollector) },
  };
}
