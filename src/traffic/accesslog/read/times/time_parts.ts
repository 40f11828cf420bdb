import * as ascii from "../../../../base/ascii.ts";

/** Length of `hh:mm:ss` in bytes. */
export const CLOCK_BYTES: number = "10:00:00".length;
/** Length of `2026-11-21` in bytes. */
export const DATE_BYTES: number = "2026-11-21".length;

/**
 * A timestamp notation. The time reader, the line counter and `%{…}t` layouts all derive from it.
 */
export interface Notation {
  /** Example of a timestamp in this notation. */
  readonly sample: string;
  /**
   * Matches the characters that can occur in a timestamp. The delimiter after a timestamp must not
   * start with any of them.
   */
  readonly characters: RegExp;
  /** Matches the expanded strftime layouts that this notation covers; absent if it covers none. */
  readonly layouts?: RegExp;
  /** What the line counter must know to read a timestamp; absent if it cannot read the notation. */
  readonly counted?: CountedText | "epoch";
  /**
   * Creates a reader of timestamps. `layout` is an expanded strftime layout, which only the
   * notation named `layout` uses.
   */
  reader(layout: string): TimeReader;
}

/**
 * Describes timestamps that the line counter reads as a date, a time of day `hh:mm:ss` and a zone.
 * The counter compares the date and the zone of each line, as text, with those of the day that it
 * is counting.
 */
export interface CountedText {
  /** Byte offset of the time of day in a timestamp. */
  readonly clockAt: number;
  /** True if the date is in a separate field, in the form `2026-11-21`. */
  readonly isDateSeparate: boolean;
  /**
   * True if the line counter reads fractional seconds after the time of day. `characters` must then
   * contain `.` and `,`, so that a delimiter cannot be mistaken for a fraction.
   */
  readonly hasFraction: boolean;
}

/** Reads timestamps in one notation. */
export interface TimeReader {
  /**
   * True if the last timestamp that `read` parsed contains its zone or its notation implies UTC.
   */
  readonly hasZone: boolean;
  /**
   * Parses the timestamp in `bytes[from, to)`. Returns Unix milliseconds, or -1 if the timestamp is
   * invalid or before 1970. For the `clock` notation, `date` is the offset of the date, which is in
   * a separate field. Other notations ignore `date`. `view` must cover the same memory as `bytes`.
   */
  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number;
}

const { COLON, COMMA, DASH, DOT, NINE, PLUS, SPACE, ZERO } = ascii;
const LETTER_Z = 0x5a;
const NAMES = ["UTC", "GMT"].map((name) => new TextEncoder().encode(name));

/** Short English names of the months. */
export const MONTHS: readonly string[] = [
  ...["Jan", "Feb", "Mar", "Apr", "May", "Jun"],
  ...["Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
];
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Parses the two digits at `at`. Returns a number from 0 to 99, or -1 if one of the bytes is not a
 * digit.
 */
export function parseTwoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] - ZERO;
  const ones = bytes[at + 1] - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/** Parses the four digits at `at` as a year from 1900 to 9999. Returns -1 if they are invalid. */
export function parseYear(bytes: Uint8Array, at: number): number {
  const century = parseTwoDigits(bytes, at);
  const inCentury = parseTwoDigits(bytes, at + 2);
  return century >= 19 && inCentury >= 0 ? century * 100 + inCentury : -1;
}

/**
 * Parses the time of day `hh:mm:` at `at`. Returns the number of minutes since midnight, or -1 if
 * the time is invalid.
 */
export function parseMinutes(bytes: Uint8Array, at: number): number {
  const hour = parseTwoDigits(bytes, at);
  const minute = parseTwoDigits(bytes, at + 3);
  const valid = bytes[at + 2] === COLON && bytes[at + 5] === COLON && hour >= 0 && hour <= 23 &&
    minute >= 0 && minute <= 59;
  return valid ? hour * 60 + minute : -1;
}

/**
 * Returns the number of days from 1970-01-01 to a date, which is negative for earlier dates.
 * `month` is from 0 to 11. Returns NaN if the date does not exist.
 */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const exists = month >= 0 && month <= 11 && day >= 1 &&
    day <= MONTH_DAYS[month] + (isLeap && month === 1 ? 1 : 0);
  if (!exists) return NaN;
  // If years are counted from March, a leap day is the last day of its year.
  const y = month > 1 ? year : year - 1;
  const m = month > 1 ? month - 2 : month + 10;
  return 365 * y + (y >> 2) - Math.floor(y / 100) + Math.floor(y / 400) +
    Math.floor((153 * m + 2) / 5) + day - 719_469;
}

/**
 * Returns the end offset of the fraction of a second at `at`, such as `.123`. Returns `at` if no
 * fraction follows.
 */
export function findFractionEnd(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to || (bytes[at] !== DOT && bytes[at] !== COMMA)) return at;
  let i = at + 1;
  while (i < to && bytes[i] >= ZERO && bytes[i] <= NINE) i++;
  return i;
}

/**
 * Parses the fraction of a second in `bytes[at, to)`, such as `.123` or `,123`. Returns it in
 * milliseconds.
 */
export function parseFraction(bytes: Uint8Array, at: number, to: number): number {
  let ms = 0;
  for (let i = at + 1, unit = 100; i < to && unit >= 1; i++, unit /= 10) {
    ms += (bytes[i] - ZERO) * unit;
  }
  return ms;
}

/**
 * Parses the UTC offset in `bytes[from, to)` and returns it in milliseconds. Accepts `Z`, `UTC`,
 * `GMT`, `+hh`, `+hhmm` and `+hh:mm`, with an optional leading space. Returns 0 for an empty range
 * and NaN for invalid text.
 */
export function parseZone(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return 0;
  const at = bytes[from] === SPACE ? from + 1 : from;
  const length = to - at;
  if (length === 1 && bytes[at] === LETTER_Z) return 0;
  const sign = bytes[at] === PLUS ? 1 : bytes[at] === DASH ? -1 : 0;
  if (sign === 0) return length === 3 && isName(bytes, at) ? 0 : NaN;
  const colon = length === 6 && bytes[at + 3] === COLON ? 1 : 0;
  if (length !== 3 && length !== 5 + colon) return NaN;
  const hours = parseTwoDigits(bytes, at + 1);
  const minutes = length === 3 ? 0 : parseTwoDigits(bytes, at + 3 + colon);
  const isValid = hours >= 0 && hours <= 14 && minutes >= 0 && minutes <= 59;
  return isValid ? sign * (hours * 60 + minutes) * 60_000 : NaN;
}

/**
 * Returns the end offset of the zone after the space at `at`, or -1 if no valid zone follows. The
 * zone must end at a space or at `end`.
 */
export function findZoneEnd(bytes: Uint8Array, at: number, end: number): number {
  let to = at + 1;
  while (to < end && to <= at + 7 && bytes[to] !== SPACE) to++;
  const isEnded = to > at + 1 && (to === end || bytes[to] === SPACE);
  return isEnded && !Number.isNaN(parseZone(bytes, at, to)) ? to : -1;
}

/**
 * Subtracts a UTC offset from a local time. Both are in milliseconds. Returns -1 if either is
 * invalid or the result is before 1970.
 */
export function subtractOffset(ms: number, offsetMs: number): number {
  return ms < 0 || Number.isNaN(offsetMs) ? -1 : Math.max(-1, ms - offsetMs);
}

function isName(bytes: Uint8Array, at: number): boolean {
  for (const name of NAMES) {
    if (name[0] === bytes[at] && name[1] === bytes[at + 1] && name[2] === bytes[at + 2]) {
      return true;
    }
  }
  return false;
}
