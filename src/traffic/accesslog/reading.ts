import { collectIds, collectQueries } from "./collect/collect_values.ts";
import type {
  CollectorKind,
  LogCollector,
  RequestCollector,
  RequestUse,
} from "./collect/collector.ts";
import { buildFilters, type CountedFilter, type FilterOptions } from "./collect/filters.ts";
import { EntryRequests, Statuses, Timings } from "./collect/small_collectors.ts";
import { type VisitLimits, Visits } from "./collect/visits.ts";
import type { LogFormat } from "./read/log_format.ts";

/** Filters and collectors for the requests of a log. */
export interface LogUse extends RequestUse {
  readonly filters: readonly CountedFilter[];
  /**
   * Options from which the filters were built, so that other threads can build equivalent filters.
   * If this is absent and there are filters, only one thread reads the log.
   */
  readonly filterOptions?: FilterOptions;
}

/** How to read a log, as data that can be sent to another thread. */
export interface ReadingReference {
  readonly format: LogFormat;
  readonly filters: FilterOptions;
  readonly collectors: readonly CollectorReference[];
}

/** A kind of collector and its settings, as data that can be sent to another thread. */
export type CollectorReference = Pick<LogCollector, "kind" | "settings" | "shared">;

/**
 * Returns how to read a log, or undefined if another thread cannot recreate a filter or a
 * collector.
 */
export function referToReading(
  format: LogFormat,
  { filters, filterOptions, collectors }: LogUse,
): ReadingReference | undefined {
  if (filters.length > 0 && filterOptions === undefined) return undefined;
  if (!collectors.every(isMergeable)) return undefined;
  return {
    format,
    filters: filterOptions ?? {},
    collectors: collectors.map(({ kind, settings, shared }) => ({ kind, settings, shared })),
  };
}

/**
 * Reports whether the collector can merge results that were collected separately from several parts
 * of a log.
 */
function isMergeable(collector: RequestCollector): collector is LogCollector {
  return "kind" in collector;
}

const COLLECTORS: Readonly<
  Record<CollectorKind, (settings: unknown, shared?: SharedArrayBuffer) => LogCollector>
> = {
  timings: () => new Timings(),
  ids: collectIds,
  queries: collectQueries,
  visits: (settings, shared) => new Visits(settings as VisitLimits | undefined, shared),
  statuses: () => new Statuses(),
  entry: (settings) => {
    const { method, target } = settings as { readonly method: string; readonly target: string };
    return new EntryRequests(method, target);
  },
};

/** Creates an empty collector. */
export function createCollector({ kind, settings, shared }: CollectorReference): LogCollector {
  return COLLECTORS[kind](settings, shared);
}

/** Creates the filters and collectors with which a thread reads a log. */
export function createUse({ filters, collectors }: ReadingReference): {
  readonly filters: readonly CountedFilter[];
  readonly collectors: readonly LogCollector[];
} {
  return { filters: buildFilters(filters), collectors: collectors.map(createCollector) };
}
