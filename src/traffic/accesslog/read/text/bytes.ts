import * as ascii from "../../../../base/ascii.ts";

// These functions compare four bytes at a time, so they read up to three bytes past the range (see
// `SLACK`). `x` is a word XORed with four copies of the byte to find, so a match becomes a zero
// byte. The lowest set bit of `(x - 0x01010101) & ~x & 0x80808080` is the high bit of the first
// zero byte. `| 0` makes the offsets integers. Otherwise, V8 would keep tagged values in the loop.

/**
 * Returns the offset of the first byte in `[from, to)` that equals `byte`, or `to` if no byte does.
 */
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

/**
 * Returns the offset of the first byte in `[from, to)` that equals `byte` or `other`, or `to` if
 * neither occurs.
 */
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

const { DOT, LF, ZERO } = ascii;
/**
 * Maximum length of a log line in bytes (1 MiB), without its line ending. A longer line is
 * malformed.
 */
export const MAX_LINE_BYTES = 1 << 20;

/**
 * Number of bytes after the last line that must be readable, so that reads of whole words need no
 * bounds checks.
 */
export const SLACK = 32;

/**
 * Mask for bit 5 of each byte in a word. Printable ASCII characters have bit 5 or bit 6 set. The
 * control characters 0 to 31 have neither.
 */
const PRINTABLE = 0x20202020;

/**
 * Returns the offset of the first LF at or after `from`. There must be an LF, and 15 bytes after it
 * must be readable.
 */
export function findLineEnd(bytes: Uint8Array, view: DataView, from: number): number {
  for (let i = from | 0;; i += 16) {
    const a = view.getInt32(i, true);
    const b = view.getInt32(i + 4, true);
    const c = view.getInt32(i + 8, true);
    const d = view.getInt32(i + 12, true);
    const printable = (a | a >>> 1) & (b | b >>> 1) & (c | c >>> 1) & (d | d >>> 1);
    if ((printable & PRINTABLE) === PRINTABLE) continue;
    for (let at = i; at < i + 16; at++) if (bytes[at] === LF) return at;
  }
}

const LETTER_M = 0x6d;
const LETTER_N = 0x6e;
const LETTER_S = 0x73;
const LETTER_U = 0x75;
const SMALL_DIGITS = 9;
const TENS = Array.from({ length: SMALL_DIGITS + 1 }, (_, i) => 10 ** i);

/**
 * Parses the non-negative number in `bytes[from, to)` and returns it multiplied by `unit`, or -1 if
 * it is invalid. Accepts digits with an optional decimal point, and scientific notation, such as
 * `1.2e-05`.
 */
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

/**
 * Parses the duration in `bytes[from, to)`: a number in the given `unit`, or a number followed by
 * `s`, `ms`, `us`, `µs` or `ns`, as Go writes it: minutes and hours precede it. Returns
 * milliseconds, or -1 if it is invalid. `unit` is in milliseconds.
 */
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

/**
 * Parses a duration of Go of a minute or more in `bytes[from, to)`, such as `1h2m3.5s`. Returns
 * milliseconds, or -1 if it is invalid.
 */
function longDuration(bytes: Uint8Array, from: number, to: number): number {
  if (to - from > 30) return -1;
  const text = String.fromCharCode(...bytes.subarray(from, to));
  const [, hours, minutes, seconds] = /^(?:(\d+)h)?(\d+)m(\d+(?:\.\d+)?)s$/.exec(text) ?? [];
  if (minutes === undefined) return -1;
  return Number(hours ?? 0) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000;
}

/**
 * Parses the number in scientific notation in `bytes[from, to)`, such as `1.2e-05`. Returns it
 * multiplied by `unit`, or -1 if it is invalid.
 */
function scientific(bytes: Uint8Array, from: number, to: number, unit: number): number {
  if (to - from > 30) return -1;
  const text = String.fromCharCode(...bytes.subarray(from, to));
  return /^\d+(?:\.\d+)?[eE][+-]?\d+$/.test(text) ? Number(text) * unit : -1;
}
