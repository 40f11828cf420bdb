import type { FieldNames, LineLayout, LogFormat } from "../read/log_format.ts";
import type { TimeNotation } from "../read/notations.ts";

/** One of several ways in which a server writes a format. It gets the name of the format. */
export type Variant = Omit<LogFormat, "name">;

/** A log format that users select by name, with `--log-format NAME`. */
export interface NamedFormat {
  /** Servers that write this format, as Markdown for the table in docs/recipes.md. */
  readonly writtenBy: string;
  /** Example of a line in this format, without its line ending. */
  readonly sample: string;
  /**
   * Variants of the format, for example with different timestamp notations, in the order in which
   * they are tried.
   */
  readonly variants: readonly Variant[];
}

/** Optional properties of a log format, which most formats omit. */
export type Options = Partial<Pick<LogFormat, "clientHasPort" | "hasRelativePath" | "layout">>;

/** The combined format of nginx and Apache. Lines in the common format also match. */
export const CLF: Variant = clf("client");

/** Lines in the common or combined format that begin with the client or the host. */
export function clf(begins: "client" | "host"): Variant {
  return { lines: { clf: begins }, time: "clf", escapes: "log", durationUnit: 1 };
}

/**
 * Lines of delimited text. `text` is in the syntax of `parseLayout`. `durationUnit` is the unit of
 * durations in the log, as a number of milliseconds.
 */
export function text(
  text: string,
  time: TimeNotation,
  durationUnit: number,
  options: Options = {},
): Variant {
  return { lines: { text }, time, escapes: "log", durationUnit, ...options };
}

/**
 * Lines that are JSON objects, one variant for each timestamp notation in `times`, with the members
 * that can contain such a timestamp. `durationUnit` is the unit of durations in the log, as a
 * number of milliseconds.
 */
export function json(
  times: Partial<Readonly<Record<TimeNotation, readonly string[]>>>,
  fields: FieldNames,
  durationUnit: number,
  { isPrefixed, ...options }: Options & { readonly isPrefixed?: boolean } = {},
): Variant[] {
  return Object.entries(times).map(([time, paths]) => {
    const timeFields = Object.fromEntries(paths.map((path) => [path, "time"] as const));
    const lines: LineLayout = {
      json: { ...timeFields, ...fields },
      ...(isPrefixed && { isPrefixed }),
    };
    return { lines, time: time as TimeNotation, escapes: "json", durationUnit, ...options };
  });
}

/** Lines of the W3C extended format, whose durations are in seconds if they have decimals. */
export function columns(separator: " " | "\t", columns: string): Variant {
  return {
    lines: { columns, separator },
    time: "clock",
    escapes: "w3c",
    durationUnit: 1,
    decimalUnit: 1_000,
  };
}
