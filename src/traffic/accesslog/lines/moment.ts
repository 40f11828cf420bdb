import { TimestampReader } from "../timestamp.ts";

/**
 * How a format writes a moment: `clf` `21/Nov/2026:10:00:00 +0000`, `iso` `2026-11-21T10:00:00.123Z`
 * or with an offset, `seconds` and `milliseconds` from 1970 with or without decimals, `clock`
 * `10:00:00` beside a date `2026-11-21`, in UTC.
 */
export type TimeNotation = "clf" | "iso" | "seconds" | "milliseconds" | "clock";

const ZERO = 0x30;
const POINT = 0x2e;
const COMMA = 0x2c;
const SPACE = 0x20;
const LETTER_T = 0x54;
const COLON = 0x3a;
const CLOCK_BYTES = "10:00:00".length;
const DATE_BYTES = "2026-11-21".length;
const SMALL_DIGITS = 9;
const TENS = Array.from({ length: SMALL_DIGITS + 1 }, (_, i) => 10 ** i);
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads moments in one notation, fast where those of the same minute follow each other. */
export class MomentReader {
  readonly #notation: TimeNotation;
  readonly #stamps = new TimestampReader();
  // The minute read last, as text (the words of its date, of which two overlap, and of its clock) and
  // in milliseconds.
  #d0 = 0;
  #d4 = 0;
  #d6 = 0;
  #c0 = 0;
  #c4 = 0;
  #minute = -1;

  /** For moments that are written so. */
  constructor(notation: TimeNotation) {
    this.#notation = notation;
  }

  /**
   * Milliseconds from 1970 of the moment from `from` to `to`, whose date, if it stands apart, starts
   * at `date`; -1 when there is none, or one before 1970.
   */
  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number {
    switch (this.#notation) {
      case "clf": {
        if (to - from !== TimestampReader.LENGTH) return -1;
        const second = this.#stamps.read(view, from);
        return second < 0 ? -1 : second * 1_000;
      }
      case "iso": {
        const separator = bytes[from + DATE_BYTES];
        if (to - from < 20 || (separator !== LETTER_T && separator !== SPACE)) return -1;
        const clock = from + DATE_BYTES + 1;
        const zone = clockEnd(bytes, clock);
        return joined(this.#utc(view, bytes, from, clock, zone), offset(bytes, zone, to));
      }
      case "seconds":
        return decimal(bytes, from, to, 1_000);
      case "milliseconds":
        return decimal(bytes, from, to, 1);
      case "clock": {
        const isThere = date >= 0 && date + DATE_BYTES <= bytes.length && to - from >= CLOCK_BYTES;
        return isThere ? this.#utc(view, bytes, date, from, to) : -1;
      }
    }
  }

  /** Milliseconds of `yyyy-mm-dd` at `date` and `hh:mm:ss`, decimals perhaps, from `at` to `to`. */
  #utc(view: DataView, bytes: Uint8Array, date: number, at: number, to: number): number {
    const minute = this.#isSameMinute(view, date, at)
      ? this.#minute
      : this.#newMinute(view, bytes, date, at);
    const second = secondAt(bytes, at + CLOCK_BYTES - 2, to);
    return minute < 0 || second < 0 ? -1 : minute + second;
  }

  #isSameMinute(view: DataView, date: number, at: number): boolean {
    return view.getInt32(at, true) === this.#c0 && view.getInt16(at + 4, true) === this.#c4 &&
      view.getInt32(date + 6, true) === this.#d6 && view.getInt32(date + 4, true) === this.#d4 &&
      view.getInt32(date, true) === this.#d0;
  }

  #newMinute(view: DataView, bytes: Uint8Array, date: number, at: number): number {
    this.#d0 = view.getInt32(date, true);
    this.#d4 = view.getInt32(date + 4, true);
    this.#d6 = view.getInt32(date + 6, true);
    this.#c0 = view.getInt32(at, true);
    this.#c4 = view.getInt16(at + 4, true);
    const days = day(bytes, date);
    const minutes = minuteAt(bytes, at);
    return this.#minute = days < 0 || minutes < 0 ? -1 : (days * 1_440 + minutes) * 60_000;
  }
}

/** The number from `from` to `to`, digits with perhaps a point in them, times `unit`; -1 if it is none. */
export function decimal(bytes: Uint8Array, from: number, to: number, unit: number): number {
  const end = to | 0;
  let i = from | 0;
  let whole = 0;
  for (let digit; i < end && (digit = bytes[i] - ZERO) >= 0 && digit <= 9; i++) {
    whole = whole * 10 + digit;
  }
  if (i === end) return i > from ? whole * unit : -1;
  if (bytes[i] !== POINT) return exponent(bytes, from, to, unit);
  const point = i++;
  // What is behind nine decimals is less than any clock tells.
  const last = Math.min(end, i + SMALL_DIGITS);
  let part = 0;
  for (let digit; i < last && (digit = bytes[i] - ZERO) >= 0 && digit <= 9; i++) {
    part = (part * 10 + digit) | 0;
  }
  const count = i - point - 1;
  while (i < end && bytes[i] >= ZERO && bytes[i] <= 0x39) i++;
  if (i < end) return exponent(bytes, from, to, unit);
  return count === 0 && point === from ? -1 : (whole + part / TENS[count]) * unit;
}

/** What JSON writes as `1.2e-05`. */
function exponent(bytes: Uint8Array, from: number, to: number, unit: number): number {
  if (to - from > 30) return -1;
  const text = String.fromCharCode(...bytes.subarray(from, to));
  return /^\d+(?:\.\d+)?[eE][+-]?\d+$/.test(text) ? Number(text) * unit : -1;
}

/** Where the decimals of the `hh:mm:ss` at `at` end; behind the seconds when there are none. */
function clockEnd(bytes: Uint8Array, at: number): number {
  let i = (at + 8) | 0;
  if (bytes[i] !== POINT && bytes[i] !== COMMA) return i;
  i++;
  while (bytes[i] >= ZERO && bytes[i] <= 0x39) i++;
  return i;
}

/** A moment that was told with this offset; -1 when it is none, or one before 1970. */
function joined(ms: number, offsetMs: number): number {
  return ms < 0 || Number.isNaN(offsetMs) ? -1 : Math.max(-1, ms - offsetMs);
}

/** Days from 1970 of `yyyy-mm-dd`; -1 when there is no such day. */
function day(bytes: Uint8Array, at: number): number {
  const century = twoDigits(bytes, at);
  const year = century * 100 + twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const inMonth = twoDigits(bytes, at + 8);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const valid = bytes[at + 4] === 0x2d && bytes[at + 7] === 0x2d && century >= 19 &&
    year >= 1970 && month >= 1 && month <= 12 && inMonth >= 1 &&
    inMonth <= MONTH_DAYS[month - 1] + (leap && month === 2 ? 1 : 0);
  if (!valid) return -1;
  // Counted from March, a leap day is the last of its year.
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  return 365 * y + (y >> 2) - Math.floor(y / 100) + Math.floor(y / 400) +
    Math.floor((153 * m + 2) / 5) + inMonth - 719_469;
}

/** Minutes of the `hh:mm:` at `at`; -1 when it is none. */
function minuteAt(bytes: Uint8Array, at: number): number {
  const hour = twoDigits(bytes, at);
  const minute = twoDigits(bytes, at + 3);
  const valid = bytes[at + 2] === COLON && bytes[at + 5] === COLON && hour >= 0 && hour <= 23 &&
    minute >= 0 && minute <= 59;
  return valid ? hour * 60 + minute : -1;
}

/** Milliseconds of the `ss`, with or without decimals, that ends at `to`; -1 when it is none. */
function secondAt(bytes: Uint8Array, at: number, to: number): number {
  const second = twoDigits(bytes, at);
  if (second < 0 || second > 60) return -1;
  let ms = second * 1_000;
  for (let i = at + 3, unit = 100; i < to && unit >= 1; i++, unit /= 10) {
    ms += (bytes[i] - ZERO) * unit;
  }
  return ms;
}

/** Milliseconds of `Z`, `+hh:mm` or `+hhmm`; NaN when it is none. */
function offset(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] === 0x5a && to === at + 1) return 0;
  const colon = bytes[at + 3] === COLON ? 1 : 0;
  const hours = twoDigits(bytes, at + 1);
  const minutes = twoDigits(bytes, at + 3 + colon);
  const sign = bytes[at] === 0x2b ? 1 : bytes[at] === 0x2d ? -1 : NaN;
  const valid = to === at + 5 + colon && hours >= 0 && hours <= 14 && minutes >= 0 && minutes <= 59;
  return valid ? sign * (hours * 60 + minutes) * 60_000 : NaN;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] - ZERO;
  const ones = bytes[at + 1] - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}
