import type { MalformedReason } from "./malformed.ts";
import type { Spans } from "./log_fields.ts";
import type { LineShape } from "./line_shape.ts";

/**
 * Reason why a line contains no request: a malformed line, or `ignored` for blank lines and directives.
 */
export type NoRequest = MalformedReason | "ignored";

/** Splits the lines of one log format into fields. */
export interface LineSplitter {
  /**
   * Layout of the lines after the last one split; undefined if they are neither delimited text nor
   * JSON. Only an ignored line (a `#Fields:` directive) changes it, and each change creates a new
   * object.
   */
  readonly shape?: LineShape;
  /**
   * Records the offsets of each field of the line `bytes[start, end)` in `spans`, which the caller must
   * clear first. The LF is at `end`, and `SLACK` bytes after it must be readable. Returns undefined on
   * success, otherwise the reason why the line has no request.
   */
  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined;
}
