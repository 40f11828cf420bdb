import * as ascii from "../../../base/ascii.ts";

// These functions compare four bytes at a time, so they read up to three bytes past the range (see
// `SLACK`). `x` is a word XORed with four copies of the byte to find, so a match becomes a zero
// byte. The lowest set bit of `(x - 0x01010101) & ~x & 0x80808080` is the high bit of the first
// zero byte. `| 0` makes the offsets integers. Otherwise, V8 would keep tagged values in the loop.

/** Returns `to` if no byte in `[from, to)` equals `byte`. */
export function indexOfByte(
  view: DataView,
  from: number,
  to: number,
  byte: number,
): number {
  const four = Math.imul(byte, 0x01010101);
  const end = to | 0;
  for (let i = from | 0; i < end; i += 4) {
    const x = view.getInt32(i, true) ^ four;
    const found = (x - 0x01010101) & ~x & 0x80808080;
    if (found !== 0) return Math.min(end, i + ((31 - Math.clz32(found & -found)) >> 3));
  }
  return end;
}

/** Returns `to` if neither byte occurs. */
export function indexOfEither(
  view: DataView,
  from: number,
  to: number,
  byte: number,
  other: number,
): number {
  const four = Math.imul(byte, 0x01010101);
  const others = Math.imul(other, 0x01010101);
  const end = to | 0;
  for (let i = from | 0; i < end; i += 4) {
    const word = view.getInt32(i, true);
    const x = word ^ four;
    const y = word ^ others;
    const found = ((x - 0x01010101) & ~x | (y - 0x01010101) & ~y) & 0x80808080;
    if (found !== 0) return Math.min(end, i + ((31 - Math.clz32(found & -found)) >> 3));
  }
  return end;
}

const { DOT, ZERO } = ascii;
/** 1 MiB, without the line ending. A longer line is malformed. */
export const MAX_LINE_BYTES = 1 << 20;

/** Bytes that must be readable after the last line, so that word-wide reads need no checks. */
export const SLACK = 32;

export function hasByte(bytes: Uint8Array, from: number, to: number, byte: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === byte) return true;
  return false;
}

const LETTER_M = 0x6d;
const LETTER_N = 0x6e;
const LETTER_S = 0x73;
const LETTER_U = 0x75;
const SMALL_DIGITS = 9;
const TENS = Array.from({ length: SMALL_DIGITS + 1 }, (_, i) => 10 ** i);

/** Digits with an optional decimal point, or scientific notation, times `unit`; -1 if invalid. */
export function parseDecimal(bytes: Uint8Array, from: number, to: number, unit: number): number {
  const end = to | 0;
  let i = from | 0;
  let whole = 0;
  for (let digit; i < end && (digit = bytes[i] - ZERO) >= 0 && digit <= 9; i++) {
    whole = whole * 10 + digit;
  }
  if (i === end) return i > from ? whole * unit : -1;
  if (bytes[i] !== DOT) return scientific(bytes, from, to, unit);
  const point = i++;
  // Ignores decimals after the ninth, which are below the resolution of any clock.
  const last = Math.min(end, i + SMALL_DIGITS);
  let part = 0;
  for (let digit; i < last && (digit = bytes[i] - ZERO) >= 0 && digit <= 9; i++) {
    part = (part * 10 + digit) | 0;
  }
  const count = i - point - 1;
  while (i < end && bytes[i] >= ZERO && bytes[i] <= 0x39) i++;
  if (i < end) return scientific(bytes, from, to, unit);
  return count === 0 && point === from ? -1 : (whole + part / TENS[count]) * unit;
}

/** Milliseconds of a number in `unit` (ms), or with a unit as Go writes it; -1 if invalid. */
export function parseDuration(bytes: Uint8Array, from: number, to: number, unit: number): number {
  if (bytes[to - 1] !== LETTER_S) return parseDecimal(bytes, from, to, unit);
  switch (bytes[to - 2]) {
    case LETTER_M:
      return parseDecimal(bytes, from, to - 2, 1);
    case LETTER_U:
      return parseDecimal(bytes, from, to - 2, 1e-3);
    case LETTER_N:
      return parseDecimal(bytes, from, to - 2, 1e-6);
    // The last byte of `µ`, which is the micro sign (U+00B5) or the Greek letter (U+03BC).
    case 0xb5:
    case 0xbc:
      return parseDecimal(bytes, from, to - 3, 1e-3);
    default: {
      const ms = parseDecimal(bytes, from, to - 1, 1_000);
      return ms < 0 ? longDuration(bytes, from, to) : ms;
    }
  }
}

/** Milliseconds of a Go duration of a minute or more, such as `1h2m3.5s`, or -1. */
function longDuration(bytes: Uint8Array, from: number, to: number): number {
  if (to - from > 30) return -1;
  const text = String.fromCharCode(...bytes.subarray(from, to));
  const [, hours, minutes, seconds] = /^(?:(\d+)h)?(\d+)m(\d+(?:\.\d+)?)s$/.exec(text) ?? [];
  if (minutes === undefined) return -1;
  return Number(hours ?? 0) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000;
}

/** A number such as `1.2e-05`, times `unit`, or -1. */
function scientific(bytes: Uint8Array, from: number, to: number, unit: number): number {
  if (to - from > 30) return -1;
  const text = String.fromCharCode(...bytes.subarray(from, to));
  return /^\d+(?:\.\d+)?[eE][+-]?\d+$/.test(text) ? Number(text) * unit : -1;
}

const { BACKSLASH, PERCENT, QUOTE } = ascii;

const LETTER_X = 0x78;
const UPPER_HEX = new TextEncoder().encode("0123456789ABCDEF");
/** 0x100 if the byte is not a hex digit. */
const HEX_VALUE = Uint16Array.from({ length: 256 }, (_, byte) => {
  const value = parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 0x100 : value;
});
const encoder = new TextEncoder();
/**
 * What CloudFront encodes but browsers send, besides `"#<>`, spaces, control and non-ASCII bytes.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging-legacy-s3.html
 */
const CLOUDFRONT_ENCODED = encoder.encode("%{}|\\^~[]`'");

export interface Escapes {
  /** By byte: the character of a backslash and this byte, or 0. */
  readonly simple: Uint8Array;
  /** Whether `\uXXXX` is an escape sequence; `\xHH` always is. */
  readonly hasUnicode: boolean;
}

/** Escape sequences of nginx and Apache in quoted fields, such as `\"` and `\xHH`. */
export const LOG_ESCAPES: Escapes = {
  simple: meanings(['""', "\\\\", "b\b", "f\f", "n\n", "r\r", "t\t", "v\v"]),
  hasUnicode: false,
};

/** Those of JSON, and `\xHH`, which nginx writes unless its format has `escape=json`. */
export const JSON_ESCAPES: Escapes = {
  simple: meanings(['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"]),
  hasUnicode: true,
};

/** Keeps invalid escapes. Returns the bytes written to `out`, at most `to - from`. */
export function unescape(
  { simple, hasUnicode }: Escapes,
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
): number {
  let length = 0;
  for (let i = from; i < to; i++) {
    if (bytes[i] !== BACKSLASH || i + 1 === to) {
      out[length++] = bytes[i];
      continue;
    }
    const next = bytes[i + 1];
    if (simple[next] !== 0) {
      out[length++] = simple[next];
      i++;
      continue;
    }
    let taken = 0;
    if (next === LETTER_U && hasUnicode) {
      const text = utf16Escape(bytes, i, to);
      taken = text.length * "\\uXXXX".length;
      length += encoder.encodeInto(text, out.subarray(length)).written;
    } else if (next === LETTER_X && i + 3 < to) {
      const byte = hexByte(bytes[i + 2], bytes[i + 3]);
      if (byte >= 0) {
        taken = "\\xHH".length;
        out[length++] = byte;
      }
    }
    if (taken === 0) out[length++] = BACKSLASH;
    else i += taken - 1;
  }
  return length;
}

/** Decodes doubled quotes and, if `isEncoded`, CloudFront's encoding. Returns the bytes written. */
export function decodeW3c(
  bytes: Uint8Array,
  from: number,
  to: number,
  isEncoded: boolean,
  out: Uint8Array,
): number {
  const isQuoted = bytes[from - 1] === QUOTE && bytes[to] === QUOTE;
  let length = 0;
  for (let i = from; i < to; i++) {
    let byte = bytes[i];
    if (byte === QUOTE && isQuoted) i++;
    else if (byte === PERCENT && isEncoded && i + 2 < to) {
      const decoded = hexByte(bytes[i + 1], bytes[i + 2]);
      if (CLOUDFRONT_ENCODED.includes(decoded)) [byte, i] = [decoded, i + 2];
    }
    out[length++] = byte;
  }
  return length;
}

/** Returns -1 if `high` or `low` is not a hex digit. */
export function hexByte(high: number, low: number): number {
  const byte = HEX_VALUE[high] << 4 | HEX_VALUE[low];
  return byte <= 0xff ? byte : -1;
}

/** Returns the end offset. */
export function writePercent(byte: number, out: Uint8Array, at: number): number {
  out[at] = PERCENT;
  out[at + 1] = UPPER_HEX[byte >> 4];
  out[at + 2] = UPPER_HEX[byte & 15];
  return at + 3;
}

/** Pairs: the character after the backslash, and the one it represents. */
function meanings(pairs: readonly string[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const pair of pairs) table[pair.charCodeAt(0)] = pair.charCodeAt(1);
  return table;
}

/** The character of `\uXXXX`, or of a surrogate pair, at `at`; empty if invalid. */
function utf16Escape(bytes: Uint8Array, at: number, to: number): string {
  const source = String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 12)));
  const found = /^\\u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?/.exec(source);
  if (found === null) return "";
  const first = parseInt(found[1], 16);
  const isPair = first >= 0xd800 && first <= 0xdbff && found[2] !== undefined;
  return String.fromCharCode(first, ...(isPair ? [parseInt(found[2], 16)] : []));
}
