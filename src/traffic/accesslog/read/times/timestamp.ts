import * as ascii from "../../../../base/ascii.ts";

const { ZERO } = ascii;
const LENGTH = "dd/Mon/yyyy:HH:MM:SS +zzzz".length;
const SECONDS = "dd/Mon/yyyy:HH:MM:".length;
const ZONE = SECONDS + 2;
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Parses `dd/Mon/yyyy:HH:MM:SS +zzzz`. Caches the last minute, because most lines repeat it. */
export class TimestampReader {
  /** Length of a timestamp in bytes. */
  static readonly LENGTH: number = LENGTH;

  // Cache of the last minute: its bytes as words, its last byte, its zone, and its parsed value.
  #w0 = 0;
  #w4 = 0;
  #w8 = 0;
  #w12 = 0;
  #b16 = 0;
  #z20 = 0;
  #z22 = 0;
  #minute = -1;

  /**
   * Returns the Unix second of the timestamp at `at`, or -1 if it is invalid or before 1970. A second
   * of 60 is the one after 59. `LENGTH` bytes must be readable.
   */
  read(view: DataView, at: number): number {
    const minute = this.#isSameMinute(view, at) ? this.#minute : this.#newMinute(view, at);
    if (minute < 0) return -1;
    const second = twoDigits(view, at + SECONDS);
    return second >= 0 && second <= 60 ? minute + second : -1;
  }

  #isSameMinute(view: DataView, at: number): boolean {
    return view.getInt32(at + 12, true) === this.#w12 &&
      view.getUint8(at + 16) === this.#b16 &&
      view.getUint8(at + 17) === 0x3a &&
      view.getInt32(at, true) === this.#w0 &&
      view.getInt32(at + 4, true) === this.#w4 &&
      view.getInt32(at + 8, true) === this.#w8 &&
      view.getInt32(at + ZONE, true) === this.#z20 &&
      view.getInt32(at + LENGTH - 4, true) === this.#z22 &&
      this.#minute >= 0;
  }

  #newMinute(view: DataView, at: number): number {
    const minute = minuteAt(view, at);
    if (minute < 0) return -1;
    this.#w0 = view.getInt32(at, true);
    this.#w4 = view.getInt32(at + 4, true);
    this.#w8 = view.getInt32(at + 8, true);
    this.#w12 = view.getInt32(at + 12, true);
    this.#b16 = view.getUint8(at + 16);
    this.#z20 = view.getInt32(at + ZONE, true);
    this.#z22 = view.getInt32(at + LENGTH - 4, true);
    return this.#minute = minute;
  }
}

/** Returns the Unix second at which the timestamp's minute starts, or -1 if it is invalid. */
function minuteAt(view: DataView, at: number): number {
  const byte = (offset: number) => view.getUint8(at + offset);
  const punctuated = byte(2) === 0x2f && byte(6) === 0x2f && byte(11) === 0x3a &&
    byte(14) === 0x3a && byte(17) === 0x3a && byte(20) === 0x20;
  if (!punctuated) return -1;
  const month = monthAt(view, at + 3);
  const century = twoDigits(view, at + 7);
  const year = century * 100 + twoDigits(view, at + 9);
  const day = twoDigits(view, at);
  const hour = twoDigits(view, at + 12);
  const minute = twoDigits(view, at + 15);
  const offset = offsetAt(view, at + 21);
  const valid = month >= 0 && century >= 19 && year >= century * 100 && day >= 1 &&
    day <= daysInMonth(month, year) && hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 &&
    !Number.isNaN(offset);
  if (!valid) return -1;
  return Date.UTC(year, month, day, hour, minute) / 1_000 - offset;
}

/** Returns the UTC offset `+zzzz` in seconds, or NaN if it is invalid. */
function offsetAt(view: DataView, at: number): number {
  const sign = view.getUint8(at);
  const hours = twoDigits(view, at + 1);
  const minutes = twoDigits(view, at + 3);
  const valid = (sign === 0x2b || sign === 0x2d) && hours >= 0 && hours <= 14 && minutes >= 0 &&
    minutes <= 59;
  return valid ? (sign === 0x2b ? 1 : -1) * (hours * 3_600 + minutes * 60) : NaN;
}

function monthAt(view: DataView, at: number): number {
  const name = String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2));
  const found = MONTHS.indexOf(name);
  return found % 3 === 0 ? found / 3 : -1;
}

function daysInMonth(month: number, year: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 1 && leap ? 29 : MONTH_DAYS[month];
}

function twoDigits(view: DataView, at: number): number {
  const tens = view.getUint8(at) - ZERO;
  const ones = view.getUint8(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}
