import * as ascii from "../../../base/ascii.ts";
import { indexOfByte, indexOfEither } from "./text/bytes.ts";
import {
  FIELD_INDEX,
  type LineShape,
  type LineSplitter,
  type NoRequest,
  type Spans,
} from "./line_splitter.ts";
import { findZoneEnd } from "./times/time_parts.ts";

const { BACKSLASH, DASH, QUESTION, QUOTE, SPACE } = ascii;

/**
 * Splits lines with fixed delimiters between fields. Each field ends at the next occurrence of its
 * delimiter. An escaped quote does not end a quoted field. Text after the last delimiter is
 * ignored.
 */
export class PatternSplitter implements LineSplitter {
  readonly shape: LineShape;
  readonly #before: Uint8Array;
  readonly #fields: readonly number[];
  readonly #delimiters: readonly Uint8Array[];
  readonly #dashes: readonly boolean[];
  readonly #heads: readonly number[];
  readonly #isPadded: readonly boolean[];
  /** Bytes that end the last field; empty if it extends to the end of the line. */
  readonly #stops: Uint8Array;

  /** Creates a splitter for lines with this layout, which must not be JSON or CLF. */
  constructor(shape: LineShape) {
    this.shape = shape;
    const { before, pieces } = shape;
    const encoder = new TextEncoder();
    this.#before = encoder.encode(before);
    this.#fields = pieces.map(({ field }) => field === undefined ? -1 : FIELD_INDEX[field]);
    this.#dashes = pieces.map(({ emptyQueryIsDash }) => emptyQueryIsDash === true);
    this.#delimiters = pieces.map(({ delimiter }) => encoder.encode(delimiter));
    this.#heads = pieces.map(({ head }) => head ?? 0);
    this.#isPadded = pieces.map(({ isPadded }) => isPadded === true);
    this.#stops = encoder.encode(pieces.at(-1)?.stops);
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    if (!matchesAt(bytes, start, end, this.#before)) return "no-request";
    let at = start + this.#before.length;
    for (let i = 0; i < this.#fields.length; i++) {
      const delimiter = this.#delimiters[i];
      const head = this.#heads[i];
      if (this.#isPadded[i]) { while (bytes[at] === SPACE) at++; }
      let to = at + head > end
        ? -1
        : delimiter.length === 0
        ? this.#lastEnd(view, at + head, end)
        : fieldEnd(bytes, view, at + head, end, delimiter);
      if (to < 0) return "no-request";
      if (head > 0 && bytes[to] === SPACE) to = skipZone(bytes, to, end, delimiter);
      const field = this.#fields[i];
      if (field >= 0 && spans.from[field] < 0) {
        spans.set(field, at, this.#dashes[i] ? withoutDash(bytes, at, to) : to);
      }
      at = to + delimiter.length;
    }
    return undefined;
  }

  /**
   * Returns the end offset of the last field, which has no delimiter. The search starts at `from`.
   */
  #lastEnd(view: DataView, from: number, end: number): number {
    let to = end;
    for (let i = 0; i < this.#stops.length; i++) to = indexOfByte(view, from, to, this.#stops[i]);
    return to;
  }
}

/**
 * Returns the end offset of a timestamp that is followed by a space at `at`. If the space is
 * followed by a zone and `delimiter`, the zone is part of the timestamp. Otherwise, the timestamp
 * ends at `at`.
 */
function skipZone(bytes: Uint8Array, at: number, end: number, delimiter: Uint8Array): number {
  const to = findZoneEnd(bytes, at, end);
  return to >= 0 && matchesAt(bytes, to, end, delimiter) ? to : at;
}

function fieldEnd(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  delimiter: Uint8Array,
): number {
  const stop = delimiter[0];
  const isQuoted = stop === QUOTE;
  for (let i = from | 0; i < end;) {
    i = isQuoted ? indexOfEither(view, i, end, stop, BACKSLASH) : indexOfByte(view, i, end, stop);
    if (i >= end) return -1;
    if (bytes[i] !== stop) i += 2;
    else if (delimiter.length === 1 || matchesAt(bytes, i, end, delimiter)) return i;
    else i++;
  }
  return -1;
}

function matchesAt(bytes: Uint8Array, at: number, end: number, text: Uint8Array): boolean {
  if (at + text.length > end) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/**
 * Returns the end offset of the target in `bytes[from, to)`, without the final `-` that nginx
 * writes for an absent query.
 */
function withoutDash(bytes: Uint8Array, from: number, to: number): number {
  const isDash = to > from && bytes[to - 1] === DASH;
  return isDash && !bytes.subarray(from, to).includes(QUESTION) ? to - 1 : to;
}
