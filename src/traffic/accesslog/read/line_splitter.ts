import type { MalformedReason } from "./log_request.ts";
import type { LogField, Spans } from "./log_fields.ts";

/**
 * Reason why a line contains no request: the reason why it is malformed, or `ignored` for a blank
 * line or a directive.
 */
export type NoRequest = MalformedReason | "ignored";

/** Splits lines in one log format into fields. */
export interface LineSplitter {
  /**
   * Layout of the lines that follow the last line passed to `split`; undefined if they are neither
   * delimited text nor JSON. Only an ignored line (a `#Fields:` directive) changes the layout. Each
   * change creates a new object.
   */
  readonly shape?: LineShape;
  /**
   * Finds the fields in the line `bytes[start, end)` and records their offsets in `spans`, which
   * the caller must clear first. The LF is at `end`, and `SLACK` bytes after it must be readable.
   * If the line contains no request, returns the reason. Otherwise, returns undefined.
   */
  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined;
}

/**
 * A field of a line and the delimiter that follows it. If `field` is undefined, the text is
 * skipped.
 */
export interface LinePiece {
  readonly field: LogField | undefined;
  /** Text between this field and the next one; empty only at the end of the line. */
  readonly delimiter: string;
  /** True if the server writes `-` at the end of the field for a request without a query. */
  readonly emptyQueryIsDash?: boolean;
  /** True if the server pads the field with leading spaces, which are not part of its value. */
  readonly isPadded?: boolean;
  /**
   * If set, the field is a word of at least this many bytes that does not contain the first byte of
   * the delimiter.
   */
  readonly minLength?: number;
  /**
   * Minimum length of the field in bytes if it is a timestamp (default 0). The search for the
   * delimiter starts after that many bytes, because a timestamp may contain a space. A zone after a
   * space also belongs to the timestamp.
   */
  readonly head?: number;
  /**
   * Characters that end the last field if it has no delimiter, the most likely one first. If none
   * of them occurs, the field extends to the end of the line.
   */
  readonly stops?: string;
}

/**
 * Maps each member name of a JSON object to a field, or to a nested map if the member's value is an
 * object.
 */
export interface JsonFields {
  readonly [member: string]: LogField | JsonFields;
}

/** Layout of a line: fixed text and delimited fields, or a JSON object. */
export interface LineShape {
  /** Text before the first field. */
  readonly before: string;
  readonly pieces: readonly LinePiece[];
  /**
   * True if ` [time] "request" status size` occurs somewhere after the last of the `pieces`, with
   * any text before and after it.
   */
  readonly isClf?: boolean;
  /**
   * Present if the line is in the W3C extended format, in which a value may be in quotes.
   * `isEncoded` states whether the server also percent-encoded the values, as CloudFront does.
   */
  readonly w3c?: { readonly isEncoded: boolean };
  /** If the line is a JSON object, the field for each member name; otherwise absent. */
  readonly members?: JsonFields;
}
