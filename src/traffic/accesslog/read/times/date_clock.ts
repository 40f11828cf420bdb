import * as ascii from "../../../../base/ascii.ts";
import * as notation from "./notation.ts";
import * as parts from "./time_parts.ts";

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
