import * as ascii from "../../../base/ascii.ts";
import { parseDecimal } from "./field_text.ts";
import { TimeLayout, ZonedTimeReader } from "./time_layout.ts";
import * as parts from "./time_layout.ts";

const { COLON, COMMA, DASH, DOT, NINE, SLASH, SPACE, ZERO } = ascii;
const LETTER_T = 0x54;

export const CLOCK_BYTES: number = "10:00:00".length;
export const DATE_BYTES: number = "2026-11-21".length;
/** Without fractional seconds. */
export const CLF_BYTES: number = "21/Nov/2026:10:00:00 +0000".length;

/** Name of the notation in which a log format writes timestamps. */
export type TimeNotation = "clf" | "iso" | "epoch" | "clock" | "layout";

/** The time reader, the line counter and `%{…}t` layouts derive from it. */
export interface Notation {
  /** Characters of a timestamp. The delimiter after it must not start with any. */
  readonly characters: RegExp;
  /** Expanded strftime layouts that this notation covers. */
  readonly layouts?: RegExp;
  /** Absent if an strftime layout describes them. */
  readonly counted?: DatedTime | "epoch";
}

/** The line counter compares date and zone, as text, with those of its day. */
export interface DatedTime {
  readonly clockAt: number;
  readonly dateBytes: number;
  /** Between the date and the time of day. */
  readonly separators: readonly number[];
  /** True if the date is in a separate field, in the form `2026-11-21`. */
  readonly isDateSeparate: boolean;
  /** After the time; `characters` has `.` and `,`, so that no delimiter passes for a fraction. */
  readonly hasFraction: boolean;
  /** Days since 1970-01-01, or NaN. */
  parseDate(bytes: Uint8Array, at: number): number;
}

/** Smaller Unix times are seconds. */
export const MILLISECONDS_FROM = 1e11;
export const MICROSECONDS_FROM = 1e14;
export const NANOSECONDS_FROM = 1e17;
/** The year 10,000; larger values are invalid. */
const NANOSECONDS_UNTIL = Date.UTC(10_000, 0) * 1e6;

/** A timestamp without a zone is in UTC. */
export const TIME_NOTATIONS: { readonly [Name in TimeNotation]: Notation } = {
  // Such as `21/Nov/2026:10:00:00 +0000`. It may have a space before the time of day, fractional
  // seconds, another zone or no zone.
  clf: {
    characters: /[\w/: +-]/,
    layouts: /^%d\/%b\/%Y[: ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/,
    counted: {
      clockAt: "21/Nov/2026:".length,
      dateBytes: "21/Nov/2026".length,
      separators: [COLON, SPACE],
      isDateSeparate: false,
      hasFraction: false,
      parseDate: (bytes, at) => {
        if (bytes[at + 2] !== SLASH || bytes[at + 6] !== SLASH) return NaN;
        const name = String.fromCharCode(bytes[at + 3], bytes[at + 4], bytes[at + 5]);
        const [year, day] = [parts.parseYear(bytes, at + 7), parts.parseTwoDigits(bytes, at)];
        return parts.daysSinceEpoch(year, parts.MONTHS.indexOf(name), day);
      },
    },
  },
  // Such as `2026-11-21T10:00:00.123Z`. It may have a space instead of `T`, slashes in the date,
  // another zone or no zone.
  iso: {
    characters: /[\w:.,+-]/,
    layouts: /^%Y([-/])%m\1%d[T ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/,
    counted: {
      clockAt: DATE_BYTES + 1,
      dateBytes: DATE_BYTES,
      separators: [LETTER_T, SPACE],
      isDateSeparate: false,
      hasFraction: true,
      parseDate,
    },
  },
  // With or without decimals.
  epoch: { characters: /[\d.]/, layouts: /^%s(?:\.%f)?$/, counted: "epoch" },
  // Times of day in UTC, such as `10:00:00`, whose date is in a separate field.
  clock: {
    characters: /[\d:.,]/,
    counted: {
      clockAt: 0,
      dateBytes: DATE_BYTES,
      separators: [],
      isDateSeparate: true,
      hasFraction: true,
      parseDate,
    },
  },
  layout: { characters: /[^]/ },
};

/** `yyyy-mm-dd` or `yyyy/mm/dd`. */
function parseDate(bytes: Uint8Array, at: number): number {
  const mark = bytes[at + 4];
  if ((mark !== DASH && mark !== SLASH) || bytes[at + 7] !== mark) return NaN;
  const month = parts.parseTwoDigits(bytes, at + 5) - 1;
  const day = parts.parseTwoDigits(bytes, at + 8);
  return parts.daysSinceEpoch(parts.parseYear(bytes, at), month, day);
}

/** `layout` if no other notation covers it. */
export function findNotation(layout: string): TimeNotation {
  const found = Object.entries(TIME_NOTATIONS).find(([, { layouts }]) => layouts?.test(layout));
  return (found?.[0] ?? "layout") as TimeNotation;
}

export interface TimeFormat {
  readonly time: TimeNotation;
  /** Expanded strftime layout; set only if `time` is `layout`. */
  readonly layout?: string;
  /** Of timestamps without one, as returned by `parseTimeZone`. By default, UTC. */
  readonly timeZone?: string;
}

/** Creates a reader of the timestamps in a log format. */
export function createTimeReader(
  { time, layout = "", timeZone }: TimeFormat,
): parts.TimeReader {
  const { counted } = TIME_NOTATIONS[time];
  const reader = counted === undefined
    ? new TimeLayout(layout)
    : counted === "epoch"
    ? { hasZone: true, read: readEpoch }
    : new DatedTimeReader(counted);
  return timeZone === undefined ? reader : new ZonedTimeReader(reader, timeZone);
}

function readEpoch(_view: DataView, bytes: Uint8Array, from: number, to: number): number {
  const value = parseDecimal(bytes, from, to, 1);
  if (value < 0 || value >= NANOSECONDS_UNTIL) return -1;
  if (value < MILLISECONDS_FROM) return value * 1_000;
  if (value < MICROSECONDS_FROM) return value;
  return value < NANOSECONDS_FROM ? value / 1e3 : value / 1e6;
}

/** Caches the last date, because most lines repeat it. */
export class DatedTimeReader implements parts.TimeReader {
  hasZone = true;
  readonly #dated: DatedTime;
  // The words of the last date (the last two overlap), and its number of days since 1970-01-01.
  #first = 0;
  #second = 0;
  #last = 0;
  #days = NaN;

  constructor(dated: DatedTime) {
    this.#dated = dated;
  }

  /** A seconds field of 60 (a leap second) is read as the second after 59. */
  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number {
    const { clockAt, dateBytes, isDateSeparate, separators } = this.#dated;
    const clock = from + clockAt;
    const clockEnd = clock + CLOCK_BYTES;
    const start = isDateSeparate ? date : from;
    if (clockEnd > to || start < 0 || start + dateBytes > bytes.length) return -1;
    if (!isDateSeparate && !separators.includes(bytes[clock - 1])) return -1;
    const zone = findFractionEnd(bytes, clockEnd, to);
    this.hasZone = isDateSeparate || zone < to;
    const seconds = parseClock(bytes, clock);
    const offset = parts.parseZone(bytes, zone, to);
    const ms = (this.#daysAt(view, bytes, start) * 86_400 + seconds) * 1_000 - offset +
      parseFraction(bytes, clockEnd, zone);
    return seconds >= 0 && ms >= 0 ? ms : -1;
  }

  #daysAt(view: DataView, bytes: Uint8Array, at: number): number {
    const first = view.getInt32(at, true);
    const second = view.getInt32(at + 4, true);
    const last = view.getInt32(at + this.#dated.dateBytes - 4, true);
    if (first !== this.#first || second !== this.#second || last !== this.#last) {
      [this.#first, this.#second, this.#last] = [first, second, last];
      this.#days = this.#dated.parseDate(bytes, at);
    }
    return this.#days;
  }
}

/** Parses the time of day `hh:mm:ss` at `at` into seconds. Returns -1 if it is invalid. */
export function parseClock(bytes: Uint8Array, at: number): number {
  const hour = parts.parseTwoDigits(bytes, at);
  const minute = parts.parseTwoDigits(bytes, at + 3);
  const second = parts.parseTwoDigits(bytes, at + 6);
  const isValid = bytes[at + 2] === COLON && bytes[at + 5] === COLON && hour >= 0 && hour <= 23 &&
    minute >= 0 && minute <= 59 && second >= 0 && second <= 60;
  return isValid ? (hour * 60 + minute) * 60 + second : -1;
}

/** Returns the end of a fraction of a second, such as `.123`, or `at`. */
export function findFractionEnd(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to || (bytes[at] !== DOT && bytes[at] !== COMMA)) return at;
  let i = at + 1;
  while (i < to && bytes[i] >= ZERO && bytes[i] <= NINE) i++;
  return i;
}

/** Parses the fraction of a second in `bytes[at, to)`, such as `,123`, into milliseconds. */
function parseFraction(bytes: Uint8Array, at: number, to: number): number {
  let ms = 0;
  for (let i = at + 1, unit = 100; i < to && unit >= 1; i++, unit /= 10) {
    ms += (bytes[i] - ZERO) * unit;
  }
  return ms;
}
