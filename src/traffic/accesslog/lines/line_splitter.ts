import type { MalformedReason } from "../malformed.ts";
import type { Spans } from "./log_fields.ts";
import type { LineShape } from "./line_shape.ts";

/** What a line is when it is no request: malformed for a reason, or one that counts for nothing. */
export type NoRequest = MalformedReason | "ignored";

/** Finds the fields of the lines of one format. */
export interface LineSplitter {
  /**
   * How the lines to come are written, if that is text with fields in it; another value each time it
   * changes, which it does at a line that counts for nothing only.
   */
  readonly shape?: LineShape;
  /**
   * Notes in `spans`, which is clear, where the fields of a line stand. The line goes from `start` to
   * the LF at `end`; `SLACK` bytes behind can be read. Gives what it is when it has no request.
   */
  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined;
}
