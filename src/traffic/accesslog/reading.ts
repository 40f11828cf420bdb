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
import { readClientFrom } from "./detect/detect_format.ts";
import { resolveFormats, resolveJson } from "./detect/resolve_formats.ts";
import { FORMATS } from "./formats/formats.ts";
import type { FormatDefinition, LogFormat } from "./read/log_format.ts";
import { WRAPPERS } from "./read/wrappers.ts";

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

/** Creates the format, filters and collectors that a thread needs to read a log. */
export function createReading({ format, filters, collectors }: ReadingReference): ThreadReading {
  return {
    format: createFormat(format),
    use: { filters: buildFilters(filters), collectors: collectors.map(createCollector) },
  };
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

/** A kind of collector and its settings, as data that can be sent to another thread. */
export interface CollectorReference {
  readonly kind: CollectorKind;
  readonly settings?: unknown;
  readonly shared?: SharedArrayBuffer;
}

/** Creates an empty collector. */
export function createCollector({ kind, settings, shared }: CollectorReference): LogCollector {
  return COLLECTORS[kind](settings, shared);
}

/** A log format, as data that can be sent to another thread. */
export interface FormatReference {
  /** Index of the format in `FORMATS`, or the option that defines it. */
  readonly format: number | FormatDefinition;
  /** Name of the field that identifies the client, if it is not the format's own client field. */
  readonly client?: string;
  /** Time zone of timestamps without a zone; absent for UTC. */
  readonly timeZone?: string;
  /** Index of the wrapper in `WRAPPERS`; absent if the lines are not wrapped. */
  readonly wrapper?: number;
}

/** Returns a reference to a format, or undefined if another thread cannot create it. */
function referToFormat(format: LogFormat): FormatReference | undefined {
  const { clientChange, definition, timeZone } = format;
  const { splitter } = clientChange?.format ?? format;
  const wrapper = format.wrapper && WRAPPERS.indexOf(format.wrapper);
  if (wrapper === -1) return undefined;
  const client = definition === undefined ? clientChange?.client : undefined;
  const reference = { client, timeZone, wrapper };
  if (definition !== undefined) return { ...reference, format: definition };
  // A wrapped format is a copy with the same function.
  const index = FORMATS.findIndex((one) => one.splitter === splitter);
  if (index < 0) return undefined;
  return { ...reference, format: index };
}

/** Creates the log format that a reference from `referToFormat` describes. */
function createFormat(reference: FormatReference): LogFormat {
  const { format, client, timeZone, wrapper } = reference;
  return {
    ...withClient(typeof format === "number" ? FORMATS[format] : createDefined(format), client),
    ...(timeZone !== undefined && { timeZone }),
    ...(wrapper !== undefined && { wrapper: WRAPPERS[wrapper] }),
  };
}

function withClient(format: LogFormat, client: string | undefined): LogFormat {
  return client === undefined ? format : readClientFrom(format, client);
}

function createDefined({ option, text, client, index }: FormatDefinition): LogFormat {
  return option === "--log-format"
    ? resolveFormats(text, client)[index]
    : withClient(resolveJson(text)[index], client);
}

/** Returns the buffers of all typed arrays in a message, each once. */
export function transferables(message: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  addBuffers(message, found);
  return [...found];
}

function addBuffers(value: unknown, found: Set<ArrayBuffer>): void {
  if (typeof value !== "object" || value === null) return;
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else for (const member of Object.values(value)) addBuffers(member, found);
}
