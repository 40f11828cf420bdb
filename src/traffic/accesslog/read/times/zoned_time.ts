import * as ascii from "../../../../base/ascii.ts";
import type { TimeReader } from "./time_parts.ts";
import * as notation from "./time_parts.ts";
import * as parts from "./time_parts.ts";

/**
 * Length of a quarter-hour in milliseconds. In every time zone, local times within the same
 * quarter-hour have the same UTC offset.
 */
const QUARTER_MS = 900_000;

/**
 * Reads timestamps, and interprets those without a zone as local times in a time zone. A local time
 * that daylight saving time skips is read as if the clock had not changed. A local time that occurs
 * twice is read as the first of the two.
 */
export class ZonedTimeReader implements TimeReader {
  readonly #reader: TimeReader;
  readonly #zone: string;
  // Cache of the last quarter of an hour and its UTC offset in milliseconds.
  #quarter = NaN;
  #offset = 0;

  /** Wraps `reader`. `zone` is a result of `parseTimeZone`. */
  constructor(reader: TimeReader, zone: string) {
    this.#reader = reader;
    this.#zone = zone;
  }

  /** Always true: the zone of every timestamp is known. */
  get hasZone(): boolean {
    return true;
  }

  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number {
    const ms = this.#reader.read(view, bytes, from, to, date);
    if (ms < 0 || this.#reader.hasZone) return ms;
    const quarter = Math.floor(ms / QUARTER_MS);
    if (quarter !== this.#quarter) {
      this.#quarter = quarter;
      this.#offset = localOffset(quarter * QUARTER_MS, this.#zone);
    }
    return Math.max(-1, ms - this.#offset);
  }
}

/**
 * Parses the name of a time zone, such as `Europe/Berlin`, or a UTC offset, such as `+02:00` or
 * `-0500`. Returns a name for `ZonedTimeReader`, or undefined if there is no such zone.
 */
export function parseTimeZone(text: string): string | undefined {
  const zone = text === "Z"
    ? "UTC"
    : text.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);
  try {
    return new Temporal.ZonedDateTime(0n, zone).timeZoneId;
  } catch {
    return undefined;
  }
}

/**
 * Returns the UTC offset of a zone at a local time, in milliseconds. `localMs` is the Unix time
 * that the local time would have if it were in UTC.
 */
function localOffset(localMs: number, zone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(localMs).toZonedDateTimeISO("UTC")
    .toPlainDateTime();
  return localMs - local.toZonedDateTime(zone).epochMilliseconds;
}

const { DASH, SLASH } = ascii;
// Copied into a module-local constant, because V8 inlines only such constants.
const CLOCK_BYTES = notation.CLOCK_BYTES;

/**
 * Parses numeric dates and times of day in UTC. Caches the last parsed minute, because most lines
 * repeat it.
 */
export class DateClockReader {
  // Cache of the last minute: the words of its date (two overlap), the words of its time of day,
  // and its start in Unix milliseconds.
  #d0 = 0;
  #d4 = 0;
  #d6 = 0;
  #c0 = 0;
  #c4 = 0;
  #minute = -1;

  /**
   * Parses the date `yyyy-mm-dd` or `yyyy/mm/dd` at `date` and the time `hh:mm:ss[.sss]` in
   * `bytes[at, to)` as UTC. Returns Unix milliseconds, or -1 if the date or the time is invalid.
   */
  read(view: DataView, bytes: Uint8Array, date: number, at: number, to: number): number {
    const minute = this.#isSameMinute(view, date, at)
      ? this.#minute
      : this.#newMinute(view, bytes, date, at);
    const second = parts.parseTwoDigits(bytes, at + CLOCK_BYTES - 2);
    if (minute < 0 || second < 0 || second > 60) return -1;
    return minute + second * 1_000 + parts.parseFraction(bytes, at + CLOCK_BYTES, to);
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
    const days = parseDate(bytes, date);
    const minutes = parts.parseMinutes(bytes, at);
    return this.#minute = days < 0 || minutes < 0 ? -1 : (days * 1_440 + minutes) * 60_000;
  }
}

/**
 * Parses the date `yyyy-mm-dd` or `yyyy/mm/dd` at `at`. Returns the number of days since
 * 1970-01-01, or -1 if the date is invalid or before 1970.
 */
function parseDate(bytes: Uint8Array, at: number): number {
  const mark = bytes[at + 4];
  if ((mark !== DASH && mark !== SLASH) || bytes[at + 7] !== mark) return -1;
  const year = parts.parseYear(bytes, at);
  const month = parts.parseTwoDigits(bytes, at + 5) - 1;
  const days = parts.daysSinceEpoch(year, month, parts.parseTwoDigits(bytes, at + 8));
  return days >= 0 ? days : -1;
}
