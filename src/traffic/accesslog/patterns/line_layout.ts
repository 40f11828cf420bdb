import { UsageError } from "../../../base/errors.ts";
import type { LinePiece, LineShape, LogField } from "../read/line_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import { CLOCK_BYTES } from "../read/times/time_parts.ts";
import { TIME_NOTATIONS, type TimeNotation } from "../read/times/notations.ts";
import { isWholeLayout, minLayoutBytes } from "../read/times/zoned_time.ts";

/** A log format parsed from a `--log-format` value in nginx or Apache syntax. */
export interface DescribedFormat
  extends Pick<LogFormat, "time" | "layout" | "escapes" | "durationUnit" | "unusedNames"> {
  readonly pattern: LineShape;
}

/** Fields whose values contain no spaces. */
const WORDS: ReadonlySet<LogField | undefined> = new Set<LogField | undefined>([
  ...["client", "time", "method", "target", "query", "status", "bytes", "host"] as const,
  ...["duration", "duration2", "duration3"] as const,
]);

/**
 * Builds a line layout from fields and the fixed text around them: `literals[i]` precedes
 * `fields[i]`, and the last literal follows the last field. If no text separates two fields, such
 * as a path and its query, merges them into one. `time` is the timestamp notation. `emptyQuery` is
 * the text that the server logs for a request without a query.
 */
export function parsePieces(
  literals: readonly string[],
  fields: readonly (LogField | undefined)[],
  time: Pick<LogFormat, "time" | "layout">,
  emptyQuery: "-" | "" = "",
): LineShape {
  const request = fields.indexOf("request");
  if (request >= 0 && literals[request + 1].startsWith(" ")) {
    // A space does not end a request, which contains spaces. Its HTTP version does.
    return parsePieces(
      literals.toSpliced(request + 1, 0, " ", " HTTP/"),
      fields.toSpliced(request, 1, "method", "target", undefined),
      time,
      emptyQuery,
    );
  }
  const pieces: { -readonly [K in keyof LinePiece]: LinePiece[K] }[] = [];
  fields.forEach((field, i) => {
    const last = pieces.at(-1);
    if (last?.delimiter !== "") {
      // Several spaces before a field are padding, whose length differs from line to line.
      const isPadded = last !== undefined && / {2}$/.test(last.delimiter);
      if (isPadded) last.delimiter = last.delimiter.trimEnd() + " ";
      pieces.push({ field, delimiter: literals[i + 1], ...(isPadded && { isPadded }) });
    } else {
      last.delimiter = literals[i + 1];
      if (last.field === "path") last.field = "target";
      if (field === "query" && emptyQuery === "-") last.emptyQueryIsDash = true;
    }
  });
  for (const piece of pieces) if (piece.field === "time") piece.head = headLength(time);
  const last = pieces.at(-1);
  const divider = (pieces.at(-2)?.delimiter ?? literals[0]).at(-1) ?? "";
  if (last?.delimiter === "") last.stops = findStops(last.field, divider);
  return { before: literals[0], pieces };
}

/**
 * Returns the characters that end the last field of a line, because a line may have more fields
 * than the pattern. `divider` is the character before the field. Returns undefined if the field
 * extends to the end of the line.
 */
function findStops(field: LogField | undefined, divider: string): string | undefined {
  if (!WORDS.has(field)) return /[\t|]/.exec(divider)?.[0];
  return [...new Set(`${/[\t|;,]/.exec(divider)?.[0] ?? ""} \t`)].join("");
}

/** Units that may follow a duration in a format string, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "\u00b5s": 1e-3,
  "\u03bcs": 1e-3,
  ms: 1,
  s: 1_000,
  sec: 1_000,
  m: 60_000,
  min: 60_000,
};

/**
 * Matches the word that directly follows a variable, and a word after spaces that is not a label.
 */
const UNIT = /^([\p{L}\p{N}]+)|^ +(\p{L}+)(?![\p{L}\p{N}:=_-])/u;

/**
 * Returns the unit of the durations in milliseconds if the fixed text after the first duration
 * starts with one, such as `ms`. Otherwise, returns `usual`. `literals[i + 1]` is the text after
 * `fields[i]`. Throws `UsageError` if another word directly follows the duration.
 */
export function findDurationUnit(
  literals: readonly string[],
  fields: readonly (LogField | undefined)[],
  usual: number,
): number {
  const after = literals[fields.indexOf("duration") + 1];
  const [, direct, spaced] = fields.includes("duration") ? UNIT.exec(after) ?? [] : [];
  const unit = UNITS[direct ?? spaced];
  if (direct !== undefined && unit === undefined) {
    throw new UsageError(
      `--log-format cannot have ${direct} after the duration: expected a unit (${
        ["ms", "s", "us", "ns", "min"].join(", ")
      }), or text that does not start with a letter or a digit`,
    );
  }
  return unit ?? usual;
}

/**
 * Throws `UsageError` if `layout`, an expanded strftime layout, is not a complete timestamp.
 * `given` is the directive as the user wrote it.
 */
export function refuseIncompleteLayout(layout: string, given: string): void {
  if (isWholeLayout(layout)) return;
  throw new UsageError(
    `--log-format cannot read the time from ${given} alone: expected a date and a time, such as ` +
      "%{%Y-%m-%d %H:%M:%S}t, or Unix seconds (%{sec}t)",
  );
}

/**
 * Returns the number of bytes to skip in a timestamp before searching for the delimiter after it:
 * the timestamp's minimum length, or 0 for the notations `epoch` and `clock`, which contain no
 * spaces.
 */
function headLength({ time, layout }: Pick<LogFormat, "time" | "layout">): number {
  if (layout !== undefined) return minLayoutBytes(layout);
  const { counted } = TIME_NOTATIONS[time];
  const isDated = typeof counted === "object" && !counted.isDateSeparate;
  return isDated ? counted.clockAt + CLOCK_BYTES : 0;
}

/**
 * Parses a line layout in which `<name>` is a field and `<>` is text to skip. `<~name>` is a field
 * that the server pads with leading spaces. `time` is the timestamp notation. If `time` is
 * `"layout"`, the argument `layout` is the expanded strftime layout of the timestamps.
 */
export function parseLayout(text: string, time: TimeNotation, layout?: string): LineShape {
  const parts = text.split(/<(~?[a-z0-9]*)>/);
  const names = parts.filter((_, i) => i % 2 === 1);
  const shape = parsePieces(
    parts.filter((_, i) => i % 2 === 0),
    names.map((name) => (name.replace("~", "") || undefined) as LogField | undefined),
    { time, layout },
  );
  // No two fields are adjacent in a named format, so `names` and `pieces` correspond.
  const pieces = shape.pieces.map((piece, i) =>
    names[i].startsWith("~") ? { ...piece, isPadded: true } : piece
  );
  return { ...shape, pieces };
}

/** Selector for the variable or header that identifies the client (`--client`). */
export class ClientChoice {
  readonly #name: string;

  /**
   * Selects the variable or header `client`. `names` lists the variables and headers in the format
   * string. Comparing names ignores letter case and the delimiters around a name, as in `${name}`
   * and `%{name}i`. Throws `UsageError` if `names` does not contain `client`.
   */
  constructor(client: string, names: readonly (string | undefined)[]) {
    this.#name = bare(client);
    const known = names.filter((name) => name !== undefined);
    if (known.some((name) => bare(name) === this.#name)) return;
    throw new UsageError(
      `--client cannot be ${client}: the log format has no such field; its fields are ${
        known.join(", ")
      }`,
    );
  }

  /**
   * Returns the log field for the variable or header `name`, whose usual field is `field`. Returns
   * `forwarded` if `name` identifies the client. Returns undefined for any other name whose usual
   * field is `forwarded`, so that only one value identifies the client.
   */
  fieldOf(name: string | undefined, field: LogField | undefined): LogField | undefined {
    if (name !== undefined && bare(name) === this.#name) return "forwarded";
    return field === "forwarded" ? undefined : field;
  }
}

function bare(name: string): string {
  return name.replace(/^(?:\$|%)\{?|\}[a-z]?$/g, "").toLowerCase();
}

/** Elements of a Go time layout, each with its strftime directive, longest first. */
const ELEMENTS: readonly (readonly [element: string, directive: string])[] = [
  ["January", "%B"],
  ["Monday", "%A"],
  ["Jan", "%b"],
  ["Mon", "%a"],
  ["MST", "%Z"],
  ["2006", "%Y"],
  ...["Z07:00", "-07:00", "Z0700", "-0700", "Z07", "-07"].map((zone) => [zone, "%z"] as const),
  ["06", "%y"],
  ["01", "%m"],
  ["_2", "%e"],
  ["02", "%d"],
  ["15", "%H"],
  ["03", "%I"],
  ["04", "%M"],
  ["05", "%S"],
  ["PM", "%p"],
  ["pm", "%p"],
  ["2", "%e"],
  ["3", "%l"],
];
/** Matches the fraction of a second in a Go time layout, directly after the seconds. */
const FRACTION = /^([.,])(?:0+|9+)(?!\d)/;

/**
 * Converts a time layout of the Go language, such as `2006-01-02 15:04:05.000`, to an strftime
 * layout. Returns undefined if `text` contains no year, because it is then not a Go layout. Also
 * returns undefined if an element has no counterpart in strftime, such as `1` (month without a
 * leading zero).
 */
export function parseGoLayout(text: string): string | undefined {
  if (!text.includes("06") || text.includes("%")) return undefined;
  let layout = "";
  for (let rest = text; rest !== "";) {
    const fraction = layout.endsWith("%S") ? FRACTION.exec(rest) : null;
    if (fraction !== null) {
      layout += `${fraction[1]}%f`;
      rest = rest.slice(fraction[0].length);
      continue;
    }
    const [element, directive] = ELEMENTS.find(([start]) => rest.startsWith(start)) ?? [];
    if (element === undefined && /^\d/.test(rest)) return undefined;
    layout += directive ?? rest[0];
    rest = rest.slice(element?.length ?? 1);
  }
  return layout;
}
