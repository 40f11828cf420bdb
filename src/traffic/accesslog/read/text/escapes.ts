import * as ascii from "../../../../base/ascii.ts";

const { BACKSLASH, PERCENT, QUOTE, SPACE } = ascii;

const LETTER_U = 0x75;
const LETTER_X = 0x78;
const UPPER_HEX = new TextEncoder().encode("0123456789ABCDEF");
const LOWER_HEX = new TextEncoder().encode("0123456789abcdef");
/** Value of each byte as a hex digit; 0x100 if the byte is not a hex digit. */
const HEX_VALUE = Uint16Array.from({ length: 256 }, (_, byte) => {
  const value = parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 0x100 : value;
});
const encoder = new TextEncoder();
/**
 * Bytes that CloudFront percent-encodes in its logs, but that browsers send unencoded. It also
 * encodes `"`, `#`, `<`, `>`, spaces, control characters and non-ASCII bytes.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging-legacy-s3.html
 */
const CLOUDFRONT_ENCODED = encoder.encode("%{}|\\^~[]`'");

/** A set of backslash escape sequences. */
export interface Escapes {
  /**
   * Lookup table by byte value: the character that a backslash and this byte represent, or 0 if
   * they are not an escape sequence.
   */
  readonly simple: Uint8Array;
  /** True if `\uXXXX` is an escape sequence. `\xHH` always is one. */
  readonly hasUnicode: boolean;
}

/**
 * Escape sequences that nginx and Apache write in quoted fields, such as `\"`, `\\`, `\n` and
 * `\xHH`.
 */
export const LOG_ESCAPES: Escapes = {
  simple: meanings(['""', "\\\\", "b\b", "f\f", "n\n", "r\r", "t\t", "v\v"]),
  hasUnicode: false,
};

/**
 * Escape sequences in JSON strings, and `\xHH`, which nginx writes into JSON unless its format has
 * `escape=json`.
 */
export const JSON_ESCAPES: Escapes = {
  simple: meanings(['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"]),
  hasUnicode: true,
};

/**
 * Decodes the escape sequences in `bytes[from, to)`. Copies all other bytes unchanged, including
 * invalid escape sequences. Writes to the beginning of `out` and returns the number of bytes
 * written, at most `to - from`.
 */
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

/**
 * Decodes a value of the W3C extended format, `bytes[from, to)`. If the value is in quotes, a
 * doubled quote is one quote. If `isEncoded` is true, also undoes CloudFront's percent-encoding of
 * a request target. Writes to the beginning of `out` and returns the number of bytes written, at
 * most `to - from`.
 */
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

/**
 * Returns the byte that two ASCII hex digits encode, or -1 if `high` or `low` is not a hex digit.
 */
export function hexByte(high: number, low: number): number {
  const byte = HEX_VALUE[high] << 4 | HEX_VALUE[low];
  return byte <= 0xff ? byte : -1;
}

/**
 * Writes a percent-encoded byte, such as `%2F`, at offset `at` in `out`. Returns the end offset.
 */
export function writePercent(byte: number, out: Uint8Array, at: number): number {
  out[at] = PERCENT;
  out[at + 1] = UPPER_HEX[byte >> 4];
  out[at + 2] = UPPER_HEX[byte & 15];
  return at + 3;
}

/**
 * Copies `bytes[from, to)` to offset `at` in `out`, escaped as nginx escapes a quoted field:
 * quotes, backslashes and control characters become `\xHH`. Returns the end offset in `out`. The
 * output is at most four times as long as the input.
 */
export function escapeField(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
): number {
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) out[at++] = byte;
    else {
      out[at++] = BACKSLASH;
      out[at++] = LETTER_X;
      out[at++] = LOWER_HEX[byte >> 4];
      out[at++] = LOWER_HEX[byte & 15];
    }
  }
  return at;
}

/**
 * Builds the table `Escapes.simple` from pairs. Each pair consists of the character after the
 * backslash and the character that the sequence represents.
 */
function meanings(pairs: readonly string[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const pair of pairs) table[pair.charCodeAt(0)] = pair.charCodeAt(1);
  return table;
}

/**
 * Decodes the `\uXXXX` escape sequence at `at`, or two sequences that form a surrogate pair.
 * Returns an empty string if there is no valid escape sequence.
 */
function utf16Escape(bytes: Uint8Array, at: number, to: number): string {
  const source = String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 12)));
  const found = /^\\u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?/.exec(source);
  if (found === null) return "";
  const first = parseInt(found[1], 16);
  const isPair = first >= 0xd800 && first <= 0xdbff && found[2] !== undefined;
  return String.fromCharCode(first, ...(isPair ? [parseInt(found[2], 16)] : []));
}
