import { UsageError } from "../../../base/errors.ts";
import { CLOCK_BYTES } from "../read/times/notation.ts";
import { TIME_NOTATIONS, type TimeNotation } from "../read/times/notations.ts";
import type { LogField } from "../read/log_fields.ts";
import type { LinePiece, LineShape } from "../read/line_splitter.ts";
import { isWholeLayout, minLayoutBytes } from "../read/times/time_layout.ts";
import type { LogFormat } from "../read/log_format.ts";

/** A log format parsed from a `--log-format` value in nginx or Apache syntax. */
export interface DescribedFormat
  extends Pick<LogFormat, "time" | "layout" | "escapes" | "durationUnit" | "unusedNames"> {
  /** Layout of the lines. */
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
