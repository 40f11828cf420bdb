import type { LinePiece, LineShape, LogField } from "./line_splitter.ts";
import { CLOCK_BYTES, TIME_NOTATIONS, type TimeFormat } from "./notations.ts";
import { minLayoutBytes } from "./time_layout.ts";

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
  time: TimeFormat,
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

/**
 * Returns the number of bytes to skip in a timestamp before searching for the delimiter after it:
 * the timestamp's minimum length, or 0 for the notations `epoch` and `clock`, which contain no
 * spaces.
 */
function headLength({ time, layout }: TimeFormat): number {
  if (layout !== undefined) return minLayoutBytes(layout);
  const { counted } = TIME_NOTATIONS[time];
  const isDated = typeof counted === "object" && !counted.isDateSeparate;
  return isDated ? counted.clockAt + CLOCK_BYTES : 0;
}

/**
 * Parses a line layout in which `<name>` is a field and `<>` is text to skip. `<~name>` is a field
 * that the server pads with leading spaces.
 */
export function parseLayout(text: string, time: TimeFormat): LineShape {
  const parts = text.split(/<(~?[a-z0-9]*)>/);
  const names = parts.filter((_, i) => i % 2 === 1);
  const shape = parsePieces(
    parts.filter((_, i) => i % 2 === 0),
    names.map((name) => (name.replace("~", "") || undefined) as LogField | undefined),
    time,
  );
  // No two fields are adjacent in a named format, so `names` and `pieces` correspond.
  const pieces = shape.pieces.map((piece, i) =>
    names[i].startsWith("~") ? { ...piece, isPadded: true } : piece
  );
  return { ...shape, pieces };
}
