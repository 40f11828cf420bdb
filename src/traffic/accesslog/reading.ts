import type { LogCollector, SliceRecorder } from "./collect/collector.ts";
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

/** Filters, collectors and recorders that one of several threads uses to read a log. */
export interface ThreadReading {
  readonly format: LogFormat;
  /** Filters and collectors that this thread applies to requests. */
  readonly use: RequestUse;
  readonly filters: readonly CountedFilter[];
  /** Collectors that can be merged in any order. */
  readonly unordered: readonly LogCollector[];
  /** Recorders for the collectors that depend on the order of the log. */
  readonly recorders: readonly SliceRecorder[];
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

/** Splits collectors into those that can be merged in any order and those that cannot. */
export function splitByOrder(
  collectors: readonly LogCollector[],
): { unordered: LogCollector[]; ordered: LogCollector[] } {
  return {
    unordered: collectors.filter(({ createRecorder }) => createRecorder === undefined),
    ordered: collectors.filter(({ createRecorder }) => createRecorder !== undefined),
  };
}

/**
 * Combines filters and collectors for one of several threads. Collectors that depend on the order
 * of the log are replaced by recorders.
 */
export function readingOfThread(
  format: LogFormat,
  filters: readonly CountedFilter[],
  collectors: readonly LogCollector[],
): ThreadReading {
  const { unordered, ordered } = splitByOrder(collectors);
  const recorders = ordered.map((collector) => collector.createRecorder!());
  const use = { filters, collectors: [...unordered, ...recorders] };
  return { format, use, filters, unordered, recorders };
}

/** Creates the filters, collectors and recorders that a thread needs to read a log. */
export function createReading({ format, filters, collectors }: ReadingReference): ThreadReading {
  return readingOfThread(
    createFormat(format),
    buildFilters(filters),
    collectors.map(createCollector),
  );
}
