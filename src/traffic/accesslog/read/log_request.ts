import * as ascii from "../../../base/ascii.ts";
import { MIN_HEX_DIGITS, UUID_DASHES, UUID_LENGTH } from "../../id_shape.ts";
import { hexByte, MAX_LINE_BYTES, writePercent } from "./field_text.ts";
import { FIELD_INDEX, type LogField, Spans } from "./log_format.ts";

const { DOLLAR, OPEN_BRACE, PERCENT, SEMICOLON, SLASH, SPACE } = ascii;
const SESSION = new TextEncoder().encode(";jsessionid=");

export const ID_PLACEHOLDER = "${vars.id}";
const PLACEHOLDER = new TextEncoder().encode(ID_PLACEHOLDER);

/** Bytes that never occur in an id. */
export const NO_ID = 8;
/** Slashes and bytes that may be written differently. */
export const SPECIAL = 16;
const DIGIT = 1;
const HEX_LETTER = 2;
const DASH = 4;

/** Class of each byte. A segment has the OR of them. scripts/assembly.ts generates tables of it. */
export const SEGMENT_CLASS: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (/[0-9]/.test(char)) return DIGIT;
  if (/[A-Fa-f]/.test(char)) return HEX_LETTER;
  if (char === "-") return DASH;
  return byte >= 0x80 || "/%;$".includes(char) ? NO_ID | SPECIAL : NO_ID;
});

/** RFC 3986, section 2.3: they mean the same if percent-encoded. */
const UNRESERVED = /[A-Za-z0-9._~-]/;
const IS_UNRESERVED = Uint8Array.from(
  { length: 256 },
  (_, byte) => UNRESERVED.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Handles an id, the last segment written. Returns the offset at which the route continues. */
export type IdSink = (path: Uint8Array, from: number, to: number) => number;

/**
 * Writes a path as plan text: without `;jsessionid=…`, with `$${` for `${` and encodings in normal
 * form, at most three times as long. Passes ids to `sink`. Returns the end offset.
 */
export function writeRoute(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
  sink: IdSink,
): number {
  let length = at;
  let segment = at;
  let classes = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    const kind = SEGMENT_CLASS[byte];
    if (kind < SPECIAL) {
      classes |= kind;
      out[length++] = byte;
    } else if (byte === SLASH) {
      if (isId(out, segment, length, classes)) length = sink(out, segment, length);
      out[length++] = SLASH;
      [segment, classes] = [length, 0];
    } else if (byte === SEMICOLON && isSessionParameter(bytes, i, to)) {
      while (i + 1 < to && bytes[i + 1] !== SLASH && bytes[i + 1] !== SEMICOLON) i++;
    } else {
      const encoded = byte === PERCENT && i + 2 < to ? hexByte(bytes[i + 1], bytes[i + 2]) : -1;
      if (encoded >= 0) i += 2;
      if (encoded >= 0 && IS_UNRESERVED[encoded] === 1) {
        classes |= SEGMENT_CLASS[encoded];
        out[length++] = encoded;
        continue;
      }
      classes |= NO_ID;
      if (encoded >= 0 || byte >= 0x80) {
        length = writePercent(encoded >= 0 ? encoded : byte, out, length);
        continue;
      }
      if (byte === DOLLAR && i + 1 < to && bytes[i + 1] === OPEN_BRACE) out[length++] = DOLLAR;
      out[length++] = byte;
    }
  }
  return isId(out, segment, length, classes) ? sink(out, segment, length) : length;
}

/** All digits, a UUID, or at least 16 hex digits. `classes` is that of the segment. */
function isId(bytes: Uint8Array, from: number, to: number, classes: number): boolean {
  if (classes === 0 || classes >= NO_ID) return false;
  if (classes === DIGIT) return true;
  if ((classes & DASH) === 0) return to - from >= MIN_HEX_DIGITS;
  if (to - from !== UUID_LENGTH) return false;
  for (let i = 0; i < UUID_LENGTH; i++) {
    const isDash = SEGMENT_CLASS[bytes[from + i]] === DASH;
    if (isDash !== UUID_DASHES.includes(i)) return false;
  }
  return true;
}

/** Reports whether `;jsessionid=`, in any letter case, is at `at`. */
function isSessionParameter(bytes: Uint8Array, at: number, to: number): boolean {
  if (at + SESSION.length > to) return false;
  for (let i = 0; i < SESSION.length; i++) {
    const byte = bytes[at + i];
    const isUpper = byte >= 0x41 && byte <= 0x5a;
    if ((isUpper ? byte | 0x20 : byte) !== SESSION[i]) return false;
  }
  return true;
}

/** Unescaped path and query, without the scheme and host, in `bytes`. */
export interface RequestTarget {
  bytes: Uint8Array;
  from: number;
  /** End offset of the path. If the target has a query, its `?` is at this offset. */
  pathEnd: number;
  to: number;
}

/** `METHOD route`, valid until the next request. */
export class EndpointKey {
  // Large, but the operating system allocates only the pages that are touched. The placeholder is
  // nine bytes longer than the shortest id, so a key is less than six times as long as its line.
  readonly #own = new Uint8Array(MAX_LINE_BYTES * 6);
  bytes: Uint8Array = this.#own;
  from = 0;
  to = 0;
  hasId = false;
  hasQuery = false;

  write(bytes: Uint8Array, from: number, to: number, target: RequestTarget): void {
    const out = this.#own;
    let at = 0;
    for (let i = from; i < to; i++) out[at++] = bytes[i];
    out[at++] = SPACE;
    // A URL may have no path.
    if (target.from === target.pathEnd) out[at++] = SLASH;
    this.hasId = false;
    this.to = writeRoute(target.bytes, target.from, target.pathEnd, out, at, this.#replaceId);
    this.bytes = out;
    this.from = 0;
    this.hasQuery = target.pathEnd < target.to;
  }

  readonly #replaceId: IdSink = (path, from) => {
    this.hasId = true;
    path.set(PLACEHOLDER, from);
    return from + PLACEHOLDER.length;
  };
}

export const MAX_NUMBER = 0xffff;

/** One instance is reused: its contents are valid until the next line. */
export class LogRequest {
  bytes: Uint8Array = new Uint8Array();
  readonly spans: Spans = new Spans();
  /** Unix milliseconds. */
  timeMs: number = 0;
  hasZone: boolean = true;
  /** Byte offset of the line in the log; set only for requests that pass all filters. */
  offset: number = 0;
  /** 0 if the line has no status. */
  status: number = 0;
  /** -1 if absent or invalid. */
  durationMs: number = -1;
  readonly key: EndpointKey = new EndpointKey();
  readonly methodAt: { bytes: Uint8Array; from: number; to: number } = {
    bytes: this.bytes,
    from: 0,
    to: 0,
  };
  readonly target: RequestTarget = { bytes: this.bytes, from: 0, pathEnd: 0, to: 0 };
  /** At most `MAX_NUMBER`, or -1. Valid only for the same `generation`. */
  endpoint: number = -1;
  /** -1 if not computed yet; see `visitorOf`. */
  visitor: number = -1;
  /** Changes when numbering restarts from 0. */
  generation: number = 0;

  /** Unix seconds, rounded down. */
  get second(): number {
    return Math.floor(this.timeMs / 1_000);
  }

  /** Still escaped. The line must have the field, so check `spans` first. */
  raw(field: LogField): Uint8Array {
    const { from, to } = this.spans;
    return this.bytes.subarray(from[FIELD_INDEX[field]], to[FIELD_INDEX[field]]);
  }

  /** Whether the field is neither absent, empty nor `-`. */
  has(field: LogField): boolean {
    const from = this.spans.from[FIELD_INDEX[field]];
    const length = this.spans.to[FIELD_INDEX[field]] - from;
    return from >= 0 && length > 0 && (length > 1 || this.bytes[from] !== 0x2d);
  }

  method(): Uint8Array {
    const { bytes, from, to } = this.methodAt;
    return bytes.subarray(from, to);
  }
}
