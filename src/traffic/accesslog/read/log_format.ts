import * as ascii from "../../../base/ascii.ts";
import type { TimeFormat } from "./notations.ts";

/** Log field for each name: of a pair, or the path of a JSON member, such as `req.method`. */
export type FieldNames = Readonly<Record<string, LogField>>;

/**
 * How the fields of a line are found. It is data, so that it can be sent to another thread:
 *
 * - `clf`: the common or combined format, with the client or the host at the start of the line
 * - `text`: fields and the text around them, in the syntax of `parseLayout`
 * - `pattern`: the same, already parsed
 * - `json`: a JSON object, with other text before it if `isPrefixed` is true
 * - `pairs`: pairs of the form `name=value`
 * - `columns`: the W3C extended format. Until the first `#Fields:` line, the columns are `columns`.
 *   The column `client`, if given, identifies the client.
 */
export type LineLayout =
  | { readonly clf: "client" | "host" }
  | { readonly text: string }
  | { readonly pattern: LineShape }
  | { readonly json: FieldNames; readonly isPrefixed?: boolean }
  | { readonly pairs: FieldNames }
  | { readonly columns: string; readonly separator: " " | "\t"; readonly client?: string };

/** A log format: how a server writes the lines of a log. */
export interface LogFormat extends TimeFormat {
  /** Or the option that defines the format: `--log-format` or `--json`. */
  readonly name: string;
  /** Value of that option; absent if the format was detected. */
  readonly definition?: string;
  readonly lines: LineLayout;
  /** `log`: as nginx and Apache do by default; `w3c`: the W3C extended format. */
  readonly escapes: "log" | "json" | "w3c" | "none";
  /** In milliseconds: 1000 if durations are in seconds. */
  readonly durationUnit: number;
  /** Unit of durations with a decimal point, if another. */
  readonly decimalUnit?: number;
  /** What the format string skips, as written, some with a hint in parentheses. */
  readonly unusedNames?: readonly string[];
  readonly clientHasPort?: boolean;
  /** Whether the `forwarded` field is the client even if it contains no address. */
  readonly forwardedIsClient?: boolean;
  readonly hasRelativePath?: boolean;
  /** See `WRAPPERS`; absent if lines are not wrapped. */
  readonly wrapper?: string;
}

export const FIELDS = [
  "client",
  "time",
  "date",
  "request",
  "method",
  "target",
  "path",
  "query",
  "status",
  "bytes",
  // The parts of a duration are adjacent: readers add them up in a loop.
  "duration",
  "duration2",
  "duration3",
  "referer",
  "agent",
  "host",
  "forwarded",
  "logger",
  "code",
] as const;

/**
 * Name of a field in a log line:
 *
 * - `time`: the timestamp, or only the time of day if the line also has `date`
 * - `request`: the request line `METHOD target HTTP/x.y`; formats without it have `method` and
 *   either `target`, or `path` and `query`
 * - `duration`: the duration of the request; if the line has `duration2` or `duration3`, the
 *   duration is the sum of these fields
 * - `forwarded`: the client's address according to a proxy; if it is a list, the first address
 *   counts
 * - `logger`: the name of Caddy's logger; only `http.log.access` and its children log requests
 * - `code`: the status, or, if the line also has `status`, another code, such as Heroku's `H12`
 */
export type LogField = typeof FIELDS[number];

/** Index of each field in the arrays of `Spans`. */
export const FIELD_INDEX: Readonly<Record<LogField, number>> = Object.fromEntries(
  FIELDS.map((field, i) => [field, i]),
) as Record<LogField, number>;

/** A multiple of four, because `clear` resets four fields at a time. */
const COUNT = Math.ceil(FIELDS.length / 4) * 4;

/** One instance is reused for all lines. */
export class Spans {
  /** Start offset of each field by `FIELD_INDEX`; -1 if the line does not have the field. */
  readonly from: Int32Array = new Int32Array(COUNT).fill(-1);
  /** Valid only if the start offset is not -1. */
  readonly to: Int32Array = new Int32Array(COUNT);

  set(field: number, from: number, to: number): void {
    this.from[field] = from;
    this.to[field] = to;
  }

  /** Does nothing if the field has offsets or the index is negative. */
  setIfAbsent(field: number, from: number, to: number): void {
    if (field >= 0 && this.from[field] < 0) this.set(field, from, to);
  }

  clear(): void {
    const { from } = this;
    // Faster than `fill` for so few elements. bench: scripts/bench/accesslog.ts
    for (let i = 0; i < COUNT; i += 4) {
      from[i] = -1;
      from[i + 1] = -1;
      from[i + 2] = -1;
      from[i + 3] = -1;
    }
  }
}

const { CLOSE_BRACKET, COLON, COMMA, DOT, OPEN_BRACKET, SPACE } = ascii;

/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255` */
const MAX_BYTES = 45;

/** An IPv4 or IPv6 address without a port. */
export function isAddress(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > MAX_BYTES) return false;
  let [colons, dots, group] = [0, 0, 0];
  let [hasLetters, isShortened] = [false, false];
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte === COLON) {
      if (dots > 0) return false;
      if (i > from && bytes[i - 1] === COLON) isShortened = true;
      colons++;
      group = 0;
    } else if (byte === DOT) {
      if (group === 0 || group > 3) return false;
      dots++;
      group = 0;
    } else {
      if (!isHex(byte) || ++group > 4) return false;
      if (byte > 0x39) hasLetters = true;
    }
  }
  if (dots > 0 && (dots !== 3 || group === 0 || group > 3)) return false;
  if (colons === 0) return dots === 3 && !hasLetters;
  const groups = colons + 1 + (dots > 0 ? 1 : 0);
  return isShortened ? groups <= 9 : groups === 8;
}

/** Sets the client to the first address of a list, without its port. False without an address. */
export function setFirstAddress(
  bytes: Uint8Array,
  from: number,
  to: number,
  spans: Spans,
): boolean {
  let start = from;
  while (start < to && bytes[start] === SPACE) start++;
  const isBracketed = bytes[start] === OPEN_BRACKET;
  if (isBracketed) start++;
  let end = start;
  let colon = -1;
  let [colons, dots] = [0, 0];
  for (; end < to && bytes[end] !== COMMA && bytes[end] !== SPACE; end++) {
    const byte = bytes[end];
    if (byte === CLOSE_BRACKET && isBracketed) break;
    if (byte === DOT) dots++;
    if (byte === COLON && colons++ === 0) colon = end;
  }
  // `10.0.0.1:443`
  if (colons === 1 && dots === 3) end = colon;
  if (!isAddress(bytes, start, end)) return false;
  spans.set(FIELD_INDEX.client, start, end);
  return true;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return byte >= 0x30 && byte <= 0x39 || lower >= 0x61 && lower <= 0x66;
}

/** `ignored` for a blank line or a directive. */
export type NoRequest = MalformedReason | "ignored";

export interface LineSplitter {
  /** For delimited text or JSON. Only a `#Fields:` line changes it, to a new object. */
  readonly shape?: LineShape;
  /** Records fields in cleared `spans`. Reads `SLACK` bytes after the LF. Returns a fault. */
  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined;
}

/** A field and the delimiter that follows it. Without a field, the text is skipped. */
export interface LinePiece {
  readonly field: LogField | undefined;
  /** Empty only at the end of the line. */
  readonly delimiter: string;
  /** Whether a request without a query ends with `-`. */
  readonly emptyQueryIsDash?: boolean;
  readonly isPadded?: boolean;
  /** The field is a word of at least this many bytes without the first byte of the delimiter. */
  readonly minLength?: number;
  /** Bytes of a timestamp, perhaps with a space, before the search for the delimiter. */
  readonly head?: number;
  /** What ends the last field, the most likely first; else the end of the line. */
  readonly stops?: string;
}

/** Fields by member names, nested for objects. */
export interface JsonFields {
  readonly [member: string]: LogField | JsonFields;
}

export interface LineShape {
  readonly before: string;
  readonly pieces: readonly LinePiece[];
  /** Whether ` [time] "request" status size` occurs after the last of the `pieces`. */
  readonly isClf?: boolean;
  /** W3C extended format. `isEncoded`: also percent-encoded, as by CloudFront. */
  readonly w3c?: { readonly isEncoded: boolean };
  /** Set if the line is a JSON object. */
  readonly members?: JsonFields;
}

/** Reasons why a line is malformed, in the order in which they are checked. */
export const MALFORMED_REASONS = [
  "line-too-long",
  "no-timestamp",
  "no-request",
  "bad-request",
  "bad-status",
] as const;

/**
 * Reason why a line is malformed:
 *
 * - `line-too-long`: the line is over 1 MiB
 * - `no-timestamp`: the line contains no valid timestamp in the notation of its format
 * - `no-request`: the line does not match the layout of its format or lacks the request
 * - `bad-request`: the request is not `METHOD target` or `METHOD target HTTP/x.y`, or is CONNECT or
 *   PRI
 * - `bad-status`: the status is neither three digits nor `-`, `0` or `-1`, or the size after it is
 *   invalid
 */
export type MalformedReason = typeof MALFORMED_REASONS[number];
