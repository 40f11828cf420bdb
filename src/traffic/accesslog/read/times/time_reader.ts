import * as ascii from "../../../../base/ascii.ts";
import { TimestampReader } from "./timestamp.ts";
import { parseDecimal } from "../text/decimal.ts";
import { TimeLayout } from "./time_layout.ts";
import { parseTwoDigits, parseZone } from "./zone.ts";

const { COLON, COMMA, DASH, DOT, SLASH, SPACE, ZERO } = ascii;

/**
 * Notation in which a log format writes timestamps:
 *
 * - `clf`: `21/Nov/2026:10:00:00 +0000`; also with a space before the time of day, with fractional
 *   seconds, or with another zone or none
 * - `iso`: `2026-11-21T10:00:00.123Z`; also with a space instead of `T`, with slashes, or with another
 *   zone or none
 * - `epoch`: Unix time in seconds, milliseconds (from 1e11), microseconds (from 1e14) or nanoseconds
 *   (from 1e17), with or without decimals
 * - `clock`: `10:00:00` in UTC, with the date `2026-11-21` in a separate field
 * - `layout`: an strftime layout
 *
 * A timestamp without a zone is read as UTC.
 */
export type TimeNotation = "clf" | "iso" | "epoch" | "clock" | "layout";

const LETTER_T = 0x54;
const CLOCK_BYTES = "10:00:00".length;
const DATE_BYTES = "2026-11-21".length;
const CLF_DATE_BYTES = "21/Nov/2026".length;
const CLF_BYTES = "21/Nov/2026:10:00:00".length;
const MILLISECONDS_FROM = 1e11;
const MICROSECONDS_FROM = 1e14;
const NANOSECONDS_FROM = 1e17;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Parses timestamps in one notation. Caches the last parsed minute, because most lines repeat it. */
export class TimeReader {
  /** True if the last timestamp that `read` parsed names its zone, or its notation implies UTC. */
  hasZone: boolean = true;
  readonly #notation: TimeNotation;
  readonly #layout: TimeLayout;
  readonly #stamps = new TimestampReader();
  /** Buffer for a CLF timestamp rewritten to the regular notation in UTC. */
  readonly #stamp = new TextEncoder().encode("21/Nov/2026:10:00:00 +0000");
  readonly #stampView = new DataView(this.#stamp.buffer);
  // Cache of the last minute: the words of its date (two overlap), those of its clock, and its value in
  // Unix milliseconds.
  #d0 = 0;
  #d4 = 0;
  #d6 = 0;
  #c0 = 0;
  #c4 = 0;
  #minute = -1;

  /**
   * Creates a reader. `layout` is the expanded strftime layout; it is used only if `notation` is
   * `layout`.
   */
  constructor(notation: TimeNotation, layout = "") {
    this.#notation = notation;
    this.#layout = new TimeLayout(layout);
  }

  /**
   * Parses the timestamp in `bytes[from, to)` and returns Unix milliseconds, or -1 if it is invalid or
   * before 1970. `date` is the offset of the date if the format stores it in a separate field;
   * otherwise it is ignored.
   */
  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number {
    switch (this.#notation) {
      case "clf":
        return this.#clf(view, bytes, from, to);
      case "iso": {
        const separator = bytes[from + DATE_BYTES];
        const isLong = to - from > DATE_BYTES + CLOCK_BYTES;
        if (!isLong || (separator !== LETTER_T && separator !== SPACE)) return -1;
        const clock = from + DATE_BYTES + 1;
        const zone = decimalsEnd(bytes, clock + CLOCK_BYTES, to);
        this.hasZone = zone < to;
        return joined(this.#utc(view, bytes, from, clock, zone), parseZone(bytes, zone, to));
      }
      case "epoch":
        return epochMs(parseDecimal(bytes, from, to, 1));
      case "clock": {
        const isThere = date >= 0 && date + DATE_BYTES <= bytes.length && to - from >= CLOCK_BYTES;
        return isThere ? this.#utc(view, bytes, date, from, to) : -1;
      }
      case "layout": {
        const ms = this.#layout.read(bytes, from, to);
        this.hasZone = this.#layout.hasZone;
        return ms;
      }
    }
  }

  #clf(view: DataView, bytes: Uint8Array, from: number, to: number): number {
    if (to - from === TimestampReader.LENGTH) {
      const second = this.#stamps.read(view, from);
      this.hasZone = true;
      if (second >= 0) return second * 1_000;
    }
    const separator = bytes[from + CLF_DATE_BYTES];
    if (to - from < CLF_BYTES || (separator !== COLON && separator !== SPACE)) return -1;
    for (let i = 0; i < CLF_BYTES; i++) this.#stamp[i] = bytes[from + i];
    this.#stamp[CLF_DATE_BYTES] = COLON;
    const second = this.#stamps.read(this.#stampView, 0);
    const clockEnd = from + CLF_BYTES;
    const zone = decimalsEnd(bytes, clockEnd, to);
    this.hasZone = zone < to;
    const ms = second < 0 ? -1 : second * 1_000 + fraction(bytes, clockEnd, zone);
    return joined(ms, parseZone(bytes, zone, to));
  }

  /**
   * Parses the date `yyyy-mm-dd` at `date` and the time `hh:mm:ss[.sss]` in `bytes[at, to)`. Returns
   * Unix milliseconds as if the time were in UTC, or -1 if it is invalid.
   */
  #utc(view: DataView, bytes: Uint8Array, date: number, at: number, to: number): number {
    const minute = this.#isSameMinute(view, date, at)
      ? this.#minute
      : this.#newMinute(view, bytes, date, at);
    const second = parseTwoDigits(bytes, at + CLOCK_BYTES - 2);
    if (minute < 0 || second < 0 || second > 60) return -1;
    return minute + second * 1_000 + fraction(bytes, at + CLOCK_BYTES, to);
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

/**
 * Converts a Unix time to milliseconds; its unit (s, ms, µs or ns) follows from its magnitude. Returns
 * -1 if `value` is negative.
 */
function epochMs(value: number): number {
  if (value < 0) return -1;
  if (value < MILLISECONDS_FROM) return value * 1_000;
  if (value < MICROSECONDS_FROM) return value;
  return value < NANOSECONDS_FROM ? value / 1e3 : value / 1e6;
}

/** Returns the end of the fraction of a second at `at`, or `at` if there is none. */
function decimalsEnd(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to || (bytes[at] !== DOT && bytes[at] !== COMMA)) return at;
  let i = at + 1;
  while (i < to && bytes[i] >= ZERO && bytes[i] <= 0x39) i++;
  return i;
}

/** Parses the fraction of a second in `bytes[at, to)`, with its point or comma, as milliseconds. */
function fraction(bytes: Uint8Array, at: number, to: number): number {
  let ms = 0;
  for (let i = at + 1, unit = 100; i < to && unit >= 1; i++, unit /= 10) {
    ms += (bytes[i] - ZERO) * unit;
  }
  return ms;
}

/** Subtracts a UTC offset from a local time; -1 if either is invalid or the result is before 1970. */
function joined(ms: number, offsetMs: number): number {
  return ms < 0 || Number.isNaN(offsetMs) ? -1 : Math.max(-1, ms - offsetMs);
}

/**
 * Parses the date `yyyy-mm-dd` or `yyyy/mm/dd` at `at`. Returns the number of days since 1970-01-01, or
 * -1 if it is invalid.
 */
function day(bytes: Uint8Array, at: number): number {
  const century = parseTwoDigits(bytes, at);
  const year = century * 100 + parseTwoDigits(bytes, at + 2);
  const month = parseTwoDigits(bytes, at + 5);
  const inMonth = parseTwoDigits(bytes, at + 8);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const mark = bytes[at + 4];
  const valid = (mark === DASH || mark === SLASH) && bytes[at + 7] === mark && century >= 19 &&
    year >= 1970 && month >= 1 && month <= 12 && inMonth >= 1 &&
    inMonth <= MONTH_DAYS[month - 1] + (leap && month === 2 ? 1 : 0);
  if (!valid) return -1;
  // In a year that starts in March, a leap day is the last day.
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  return 365 * y + (y >> 2) - Math.floor(y / 100) + Math.floor(y / 400) +
    Math.floor((153 * m + 2) / 5) + inMonth - 719_469;
}

/**
 * Parses the time `hh:mm:` at `at`. Returns the number of minutes since midnight, or -1 if it is
 * invalid.
 */
function minuteAt(bytes: Uint8Array, at: number): number {
  const hour = parseTwoDigits(bytes, at);
  const minute = parseTwoDigits(bytes, at + 3);
  const valid = bytes[at + 2] === COLON && bytes[at + 5] === COLON && hour >= 0 && hour <= 23 &&
    minute >= 0 && minute <= 59;
  return valid ? hour * 60 + minute : -1;
}
