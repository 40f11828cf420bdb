import type { Field } from "../lines/fields.ts";
import type { LineShape } from "../lines/line_shape.ts";
import type { LogFormat } from "./log_format.ts";

/** What a format string of a server's configuration describes. */
export interface Described extends Pick<LogFormat, "time" | "escapes" | "durationUnit"> {
  readonly pattern: LineShape;
}

/**
 * The pattern of fields with these texts around them. Two fields with nothing between them, such as a
 * path and its query, cannot be told apart and are one, whose query may be written `-` when it is not
 * there.
 */
export function piecesOf(
  literals: readonly string[],
  fields: readonly (Field | undefined)[],
  emptyQuery: "-" | "" = "",
): LineShape {
  const pieces: { field: Field | undefined; behind: string; emptyQueryIsDash?: true }[] = [];
  fields.forEach((field, i) => {
    const last = pieces.at(-1);
    if (last?.behind !== "") pieces.push({ field, behind: literals[i + 1] });
    else {
      last.behind = literals[i + 1];
      if (last.field === "path") last.field = "target";
      if (field === "query" && emptyQuery === "-") last.emptyQueryIsDash = true;
    }
  });
  return { before: literals[0], pieces };
}
