import * as ascii from "../../../../base/ascii.ts";
import * as parts from "./time_parts.ts";
import { CLF_BYTES, CLOCK_BYTES, TIME_NOTATIONS } from "./notations.ts";

const { COLON, SLASH, SPACE } = ascii;
// Copied into a module-local constant so that V8 can inline it.
const LENGTH = CLF_BYTES;
const CLOCK = TIME_NOTATIONS.clf.clockAt;
const SECONDS = CLOCK + CLOCK_BYTES - 2;
const ZONE = CLOCK + CLOCK_BYTES;

/**
 * Parses timestamps of the form `21/Nov/2026:10:00:00 +0000`. Caches the last parsed minute,
 * because most lines repeat it. `TimeReader` parses other timestamps in the `clf` notation.
 */
export class ClfTimeReader {
  // Cache of the last minute: the words and the last byte of its text, the words of its zone, and
  // its start in Unix seconds.
  #w0 = 0;
  #w4 = 0;
  #w8 = 0;
  #w12 = 0;
  #b16 = 0;
  #z20 = 0;
  #z22 = 0;
  #minute = -1;

  /**
   * Returns the Unix second of the timestamp at `at`, or -1 if it is invalid or before 1970. A
   * seconds field of 60 (a leap second) is treated as the second after 59. `CLF_BYTES` bytes must
   * be readable.
   */
  read(view: DataView, bytes: Uint8Array, at: number): number {
    const minute = this.#isSameMinute(view, at) ? this.#minute : this.#newMinute(view, bytes, at);
    if (minute < 0) return -1;
    const second = parts.parseTwoDigits(bytes, at + SECONDS);
    return second >= 0 && second <= 60 ? minute + second : -1;
  }

  #isSameMinute(view: DataView, at: number): boolean {
    return view.getInt32(at + 12, true) === this.#w12 &&
      view.getUint8(at + 16) === this.#b16 &&
      view.getUint8(at + 17) === COLON &&
      view.getInt32(at, true) === this.#w0 &&
      view.getInt32(at + 4, true) === this.#w4 &&
      view.getInt32(at + 8, true) === this.#w8 &&
      view.getInt32(at + ZONE, true) === this.#z20 &&
      view.getInt32(at + LENGTH - 4, true) === this.#z22 &&
      this.#minute >= 0;
  }

  #newMinute(view: DataView, bytes: Uint8Array, at: number): number {
    const minute = parseMinute(bytes, at);
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

/**
 * Returns the Unix second at which the minute of the timestamp at `at` starts, or -1 if the
 * timestamp is invalid or before 1970.
 */
function parseMinute(bytes: Uint8Array, at: number): number {
  const isPunctuated = bytes[at + 2] === SLASH && bytes[at + 6] === SLASH &&
    bytes[at + CLOCK - 1] === COLON && bytes[at + ZONE] === SPACE;
  const year = parts.parseYear(bytes, at + 7);
  const minutes = parts.parseMinutes(bytes, at + CLOCK);
  if (!isPunctuated || year < 0 || minutes < 0) return -1;
  const month = parts.MONTHS.indexOf(
    String.fromCharCode(bytes[at + 3], bytes[at + 4], bytes[at + 5]),
  );
  const days = parts.daysSinceEpoch(year, month, parts.parseTwoDigits(bytes, at));
  const minute = (days * 1_440 + minutes) * 60 -
    parts.parseZone(bytes, at + ZONE + 1, at + LENGTH) / 1_000;
  return minute >= 0 ? minute : -1;
}
