import type { MalformedReason } from "../malformed.ts";
import type { Spans } from "./log_fields.ts";
import type { LineShape } from "./line_shape.ts";

/** Why a line has no request: a malformed reason, or `ignored` for blank lines and directives. */
export type NoRequest = MalformedReason | "ignored";

/** Finds the fields of the lines of one format. */
export interface LineSplitter {
  /**
   * Layout of the following lines, if they are delimited text or JSON. It changes only after an ignored
   * line (a `#Fields:` directive), and is a new object then.
   */
  readonly shape?: LineShape;
  /**
   * Records the offsets of each field in `spans`, which must be clear. The line is `bytes[start, end)`
   * with the LF at `end`; `SLACK` bytes past it are readable. Returns why the line has no request, or
   * undefined if it has one.
   */
  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined;
}
