import { TimestampReader } from "../timestamp.ts";

/**
 * How a format writes a moment: `clf` `21/Nov/2026:10:00:00 +0000]`, `iso` `2026-11-21T10:00:00.123Z`
 * or with an offset, `seconds` and `milliseconds` from 1970 with or without decimals, `clock`
 * `10:00:00` beside a date `2026-11-21`, in UTC.
 */
export type TimeNotation = "clf" | "iso" | "seconds" | "milliseconds" | "clock";

const ZERO = 0x30;
const POINT = 0x2e;
const SMALL_DIGITS = 9;
const TENS = Array.from({ length: SMALL_DIGITS + 1 }, (_, i) => 10 ** i);
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads moments in one notation. */
export class MomentReader {
  readonly #notation: TimeNotation;
  readonly #stamps = new TimestampReader();

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
        if (to - from < TimestampReader.LENGTH - 1) return -1;
        const second = this.#stamps.read(view, from);
        return second < 0 ? -1 : second * 1_000;
      }
      case "iso":
        return iso(bytes, from, to);
      case "seconds":
        return decimal(bytes, from, to, 1_000);
      case "milliseconds":
        return decimal(bytes, from, to, 1);
      case "clock":
        return date < 0 ? -1 : joined(day(bytes, date), clock(bytes, from, to), 0);
    }
  }
}

/** The number from `from` to `to`, digits with perhaps a point in them, times `unit`; -1 if it is none. */
export function decimal(bytes: Uint8Array, from: number, to: number, unit: number): number {
  let at = digitsEnd(bytes, from, to);
  const whole = digits(bytes, from, at);
  if (at === to) return at > from ? whole * unit : -1;
  if (bytes[at] !== POINT) return exponent(bytes, from, to, unit);
  const point = at;
  at = digitsEnd(bytes, point + 1, to);
  if (at !== to) return exponent(bytes, from, to, unit);
  // What is behind nine decimals is less than any clock tells.
  const count = Math.min(at - point - 1, SMALL_DIGITS);
  if (count === 0 && point === from) return -1;
  return (whole + digits(bytes, point + 1, point + 1 + count) / TENS[count]) * unit;
}

function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && bytes[i] >= ZERO && bytes[i] <= 0x39) i++;
  return i;
}

/** The number of digits from `from` to `to`, nine of them at a time: so many are a small integer. */
function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let start = from; start < to; start += SMALL_DIGITS) {
    const end = Math.min(start + SMALL_DIGITS, to);
    let part = 0;
    for (let i = start; i < end; i++) part = (part * 10 + bytes[i] - ZERO) | 0;
    value = start === from ? part : value * TENS[end - start] + part;
  }
  return value;
}

/** What JSON writes as `1.2e-05`. */
function exponent(bytes: Uint8Array, from: number, to: number, unit: number): number {
  if (to - from > 30) return -1;
  const text = String.fromCharCode(...bytes.subarray(from, to));
  return /^\d+(?:\.\d+)?[eE][+-]?\d+$/.test(text) ? Number(text) * unit : -1;
}

function iso(bytes: Uint8Array, from: number, to: number): number {
  const separator = bytes[from + 10];
  if (to - from < 20 || (separator !== 0x54 && separator !== 0x20)) return -1;
  let zone = from + 19;
  if (bytes[zone] === 0x2e || bytes[zone] === 0x2c) {
    zone++;
    while (bytes[zone] >= ZERO && bytes[zone] <= 0x39) zone++;
  }
  return joined(day(bytes, from), clock(bytes, from + 11, zone), offset(bytes, zone, to));
}

function joined(dayNumber: number, ms: number, offsetMs: number): number {
  if (dayNumber < 0 || ms < 0 || Number.isNaN(offsetMs)) return -1;
  return Math.max(-1, dayNumber * 86_400_000 + ms - offsetMs);
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

/** Milliseconds of `hh:mm:ss` with or without decimals; -1 when it is none. */
function clock(bytes: Uint8Array, from: number, to: number): number {
  const hour = twoDigits(bytes, from);
  const minute = twoDigits(bytes, from + 3);
  const second = twoDigits(bytes, from + 6);
  const valid = to - from >= 8 && bytes[from + 2] === 0x3a && bytes[from + 5] === 0x3a &&
    hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 60;
  if (!valid) return -1;
  let ms = ((hour * 60 + minute) * 60 + second) * 1_000;
  for (let i = from + 9, unit = 100; i < to && unit >= 1; i++, unit /= 10) {
    ms += (bytes[i] - ZERO) * unit;
  }
  return ms;
}

/** Milliseconds of `Z`, `+hh:mm` or `+hhmm`; NaN when it is none. */
function offset(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] === 0x5a && to === at + 1) return 0;
  const colon = bytes[at + 3] === 0x3a ? 1 : 0;
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
