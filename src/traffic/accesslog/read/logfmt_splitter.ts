import * as ascii from "../../../base/ascii.ts";
import { indexOfEither } from "./text/byte_search.ts";
import type { LineSplitter, NoRequest } from "./line_splitter.ts";
import { FIELD_INDEX, type LogField, type Spans } from "./log_fields.ts";

const { BACKSLASH, DASH, OPEN_BRACKET, QUOTE, SPACE } = ascii;
const EQUALS = 0x3d;
const TAB = 0x09;
const NINE = 0x39;
const MAX_NAME_BYTES = 40;
const { time: TIME, status: STATUS, code: CODE } = FIELD_INDEX;

/**
 * Splits lines of `name=value` pairs, separated by spaces. A value with spaces is in quotes. Skips
 * words without `=`, with one exception: if the line has no other timestamp, a date such as
 * `2026-11-21T10:00:00Z` before the first pair is its timestamp.
 */
export class LogfmtSplitter implements LineSplitter {
  readonly #fields: ReadonlyMap<string, number>;

  /**
   * Creates a splitter. `fields` maps the name in a pair to the log field in which to record the
   * value.
   */
  constructor(fields: Readonly<Record<string, LogField>>) {
    this.#fields = new Map(
      Object.entries(fields).map(([name, field]) => [name, FIELD_INDEX[field]]),
    );
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    let pairs = 0;
    let [dateFrom, dateTo] = [-1, -1];
    for (let at = start; at < end;) {
      if (isSpace(bytes[at])) {
        at++;
        continue;
      }
      const nameFrom = at;
      while (at < end && bytes[at] !== EQUALS && !isSpace(bytes[at])) at++;
      if (bytes[at] !== EQUALS || at >= end) {
        if (pairs === 0 && dateFrom < 0) {
          const from = bytes[nameFrom] === OPEN_BRACKET ? nameFrom + 1 : nameFrom;
          if (isDate(bytes, from, at)) [dateFrom, dateTo] = [from, at];
        }
        continue;
      }
      const field = this.#find(bytes, nameFrom, at);
      const isQuoted = bytes[at + 1] === QUOTE;
      const from = isQuoted ? at + 2 : at + 1;
      at = isQuoted ? quoteEnd(bytes, view, from, end) : wordEnd(bytes, from, end);
      if (at > end) return "no-request";
      spans.setIfAbsent(field, from, at);
      if (isQuoted) at++;
      pairs++;
    }
    if (pairs === 0) return "no-request";
    if (dateFrom >= 0) spans.setIfAbsent(TIME, dateFrom, dateTo);
    if (spans.from[CODE] >= 0) spans.setIfAbsent(STATUS, spans.from[CODE], spans.to[CODE]);
    return undefined;
  }

  /**
   * Returns the index of the field for the name in `bytes[from, to)`, or -1 if the name has no
   * field.
   */
  #find(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > MAX_NAME_BYTES) return -1;
    return this.#fields.get(String.fromCharCode(...bytes.subarray(from, to))) ?? -1;
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/**
 * Reports whether `bytes[from, to)` looks like a timestamp that starts with a date and an hour,
 * such as `2026-11-21T10`.
 */
function isDate(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from > 12 && bytes[from] <= NINE && bytes[from + 4] === DASH &&
    bytes[from + 7] === DASH;
}

function wordEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && !isSpace(bytes[at])) at++;
  return at;
}

/** Returns the offset of the closing quote, or an offset after `end` if it is missing. */
function quoteEnd(bytes: Uint8Array, view: DataView, from: number, end: number): number {
  for (let at = from;;) {
    at = indexOfEither(view, at, end, QUOTE, BACKSLASH);
    if (at >= end) return end + 1;
    if (bytes[at] === QUOTE) return at;
    at += 2;
  }
}
