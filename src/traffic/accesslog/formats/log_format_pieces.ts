import type { LogField } from "../lines/log_fields.ts";
import type { LinePiece, LineShape } from "../lines/line_shape.ts";
import { minLayoutBytes } from "../lines/time_layout.ts";
import type { LogFormat } from "./log_format.ts";

/** A format parsed from a format string of a server's configuration. */
export interface DescribedFormat
  extends Pick<LogFormat, "time" | "layout" | "escapes" | "durationUnit"> {
  /** The shape of the lines. */
  readonly pattern: LineShape;
}

/** Fields without spaces: as the last field of a pattern they end at a space, as others may follow. */
const WORDS: ReadonlySet<LogField | undefined> = new Set<LogField | undefined>([
  ...["client", "time", "method", "target", "query", "status", "bytes", "host"] as const,
  ...["duration", "duration2", "duration3"] as const,
]);

/**
 * Builds the pattern of fields with these literals around them. Two fields without a delimiter, such as
 * a path and its query, are merged into one; `emptyQuery` is the text of an absent query. `time` is the
 * notation of timestamps.
 */
export function parsePieces(
  literals: readonly string[],
  fields: readonly (LogField | undefined)[],
  time: Pick<LogFormat, "time" | "layout">,
  emptyQuery: "-" | "" = "",
): LineShape {
  const pieces: { -readonly [K in keyof LinePiece]: LinePiece[K] }[] = [];
  fields.forEach((field, i) => {
    const last = pieces.at(-1);
    if (last?.delimiter !== "") pieces.push({ field, delimiter: literals[i + 1] });
    else {
      last.delimiter = literals[i + 1];
      if (last.field === "path") last.field = "target";
      if (field === "query" && emptyQuery === "-") last.emptyQueryIsDash = true;
    }
  });
  for (const piece of pieces) if (piece.field === "time") piece.head = headLength(time);
  const last = pieces.at(-1);
  if (last?.delimiter === "" && WORDS.has(last.field)) {
    const before = pieces.at(-2)?.delimiter ?? literals[0];
    last.stops = ` \t${/[|;,]$/.exec(before)?.[0] ?? ""}`;
  }
  return { before: literals[0], pieces };
}

/** Returns the minimum length of a timestamp that may contain spaces; 0 if it cannot. */
function headLength({ time, layout }: Pick<LogFormat, "time" | "layout">): number {
  if (time === "clf") return "21/Nov/2026:10:00:00".length;
  if (time === "iso") return "2026-11-21 10:00:00".length;
  return layout === undefined ? 0 : minLayoutBytes(layout);
}
