import * as ascii from "../../../../base/ascii.ts";

const { DOT, ZERO } = ascii;
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
