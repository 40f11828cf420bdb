import { parseDecimal } from "../text/decimal.ts";
import type { Notation } from "./notation.ts";

/** Smallest Unix time that is read as milliseconds. Smaller values are read as seconds. */
export const MILLISECONDS_FROM = 1e11;
/** Smallest Unix time that is read as microseconds. */
export const MICROSECONDS_FROM = 1e14;
/** Smallest Unix time that is read as nanoseconds. */
export const NANOSECONDS_FROM = 1e17;
/** Start of the year 10,000 as a Unix time in nanoseconds. Larger values are invalid. */
const NANOSECONDS_UNTIL = Date.UTC(10_000, 0) * 1e6;

/**
 * Unix times in seconds, milliseconds (from 1e11), microseconds (from 1e14) or nanoseconds (from
 * 1e17), with or without decimals.
 */
export const epoch: Notation = {
  sample: "1795255200.123",
  characters: /[\d.]/,
  layouts: /^%s(?:\.%f)?$/,
  counted: "epoch",
  reader: () => ({
    hasZone: true,
    read: (_view, bytes, from, to) => toMilliseconds(parseDecimal(bytes, from, to, 1)),
  }),
};

/**
 * Converts a Unix time to milliseconds. The magnitude of `value` determines its unit (s, ms, µs or
 * ns). Returns -1 if `value` is negative or after the year 9999.
 */
function toMilliseconds(value: number): number {
  if (value < 0 || value >= NANOSECONDS_UNTIL) return -1;
  if (value < MILLISECONDS_FROM) return value * 1_000;
  if (value < MICROSECONDS_FROM) return value;
  return value < NANOSECONDS_FROM ? value / 1e3 : value / 1e6;
}
