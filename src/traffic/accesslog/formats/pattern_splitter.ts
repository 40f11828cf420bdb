import { indexOfByte, indexOfEither } from "../lines/byte_search.ts";
import { AT, type Spans } from "../lines/fields.ts";
import type { LineShape } from "../lines/line_shape.ts";
import type { LineSplitter, NoRequest } from "../lines/splitter.ts";

const QUOTE = 0x22;
const DASH = 0x2d;
const QUESTION = 0x3f;
const BACKSLASH = 0x5c;

/**
 * Lines in which fields stand with known text between them: each field ends where that text comes
 * next, in quotes not at an escaped one. What stands behind the last known text is not looked at.
 */
export class PatternSplitter implements LineSplitter {
  /** See `LineSplitter`. */
  readonly shape: LineShape;
  readonly #before: Uint8Array;
  readonly #fields: readonly number[];
  readonly #behind: readonly Uint8Array[];

  readonly #dashes: readonly boolean[];

  /** For lines of this shape. */
  constructor(shape: LineShape) {
    this.shape = shape;
    const { before, pieces } = shape;
    const encoder = new TextEncoder();
    this.#before = encoder.encode(before);
    this.#fields = pieces.map(({ field }) => field === undefined ? -1 : AT[field]);
    this.#dashes = pieces.map(({ emptyQueryIsDash }) => emptyQueryIsDash === true);
    this.#behind = pieces.map(({ behind }) => encoder.encode(behind));
  }

  /** See `LineSplitter`. */
  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    if (!stands(bytes, start, end, this.#before)) return "no-request";
    let at = start + this.#before.length;
    for (let i = 0; i < this.#fields.length; i++) {
      const behind = this.#behind[i];
      const to = behind.length === 0 ? end : fieldEnd(bytes, view, at, end, behind);
      if (to < 0) return "no-request";
      const field = this.#fields[i];
      if (field >= 0 && spans.from[field] < 0) {
        spans.set(field, at, this.#dashes[i] ? withoutDash(bytes, at, to) : to);
      }
      at = to + behind.length;
    }
    return undefined;
  }
}

function fieldEnd(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  behind: Uint8Array,
): number {
  const stop = behind[0];
  const isQuoted = stop === QUOTE;
  for (let i = from | 0; i < end;) {
    i = isQuoted ? indexOfEither(view, i, end, stop, BACKSLASH) : indexOfByte(view, i, end, stop);
    if (i >= end) return -1;
    if (bytes[i] !== stop) i += 2;
    else if (behind.length === 1 || stands(bytes, i, end, behind)) return i;
    else i++;
  }
  return -1;
}

function stands(bytes: Uint8Array, at: number, end: number, text: Uint8Array): boolean {
  if (at + text.length > end) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/** Where a target ends, a `-` that stands for no query left out. */
function withoutDash(bytes: Uint8Array, from: number, to: number): number {
  const isDash = to > from && bytes[to - 1] === DASH;
  return isDash && !bytes.subarray(from, to).includes(QUESTION) ? to - 1 : to;
}
