import * as ascii from "../../../../base/ascii.ts";
import { parseDecimal } from "../text/decimal.ts";
import * as parts from "./time_parts.ts";
import { ClfTimeReader } from "./clf_time.ts";
import * as notations from "./notations.ts";
import { TimeLayout } from "./time_layout.ts";

const { COLON, DASH, SLASH, SPACE } = ascii;
// Copied into module-local constants, because V8 inlines only such constants.
const { CLF_BYTES, CLOCK_BYTES, DATE_BYTES } = notations;
const { MICROSECONDS_FROM, MILLISECONDS_FROM, NANOSECONDS_FROM } = notations;
const LETTER_T = 0x54;
const CLF_CLOCK = notations.TIME_NOTATIONS.clf.clockAt;
const CLF_CLOCK_END = CLF_CLOCK + CLOCK_BYTES;

/** Parses timestamps in one notation. Caches the last parsed minute, because most lines repeat it. */
export class TimeReader {
  /**
   * True if the last timestamp that `read` parsed contains its zone or its notation implies UTC.
   */
  hasZone: boolean = true;
  readonly #notation: notations.TimeNotation;
  readonly #layout: TimeLayout;
  readonly #stamps = new ClfTimeReader();
  /** Buffer in which a CLF timestamp is rewritten to the form of the sample, in UTC. */
  readonly #stamp = new TextEncoder().encode(notations.TIME_NOTATIONS.clf.sample);
  readonly #stampView = new DataView(this.#stamp.buffer);
  // Cache of the last minute: the words of its date (two overlap), the words of its time of day,
  // and its start in Unix milliseconds.
  #d0 = 0;
  #d4 = 0;
  #d6 = 0;
  #c0 = 0;
  #c4 = 0;
  #minute = -1;

  /**
   * Creates a reader for timestamps in `notation`. If `notation` is `layout`, the parameter
   * `layout` must be the expanded strftime layout. It is ignored for other notations.
   */
  constructor(notation: notations.TimeNotation, layout = "") {
    this.#notation = notation;
    this.#layout = new TimeLayout(layout);
  }

  /**
   * Parses the timestamp in `bytes[from, to)`. Returns Unix milliseconds, or -1 if the timestamp is
   * invalid or before 1970. For the notation `clock`, `date` is the offset of the date, which is in
   * a separate field. It is ignored for other notations.
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
        const zone = parts.findFractionEnd(bytes, clock + CLOCK_BYTES, to);
        this.hasZone = zone < to;
        return applyOffset(
          this.#utc(view, bytes, from, clock, zone),
          parts.parseZone(bytes, zone, to),
        );
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
    if (to - from === CLF_BYTES) {
      const second = this.#stamps.read(view, bytes, from);
      this.hasZone = true;
      if (second >= 0) return second * 1_000;
    }
    const separator = bytes[from + CLF_CLOCK - 1];
    if (to - from < CLF_CLOCK_END || (separator !== COLON && separator !== SPACE)) return -1;
    for (let i = 0; i < CLF_CLOCK_END; i++) this.#stamp[i] = bytes[from + i];
    this.#stamp[CLF_CLOCK - 1] = COLON;
    const second = this.#stamps.read(this.#stampView, this.#stamp, 0);
    const clockEnd = from + CLF_CLOCK_END;
    const zone = parts.findFractionEnd(bytes, clockEnd, to);
    this.hasZone = zone < to;
    const ms = second < 0 ? -1 : second * 1_000 + parts.parseFraction(bytes, clockEnd, zone);
    return applyOffset(ms, parts.parseZone(bytes, zone, to));
  }

  /**
   * Parses the date `yyyy-mm-dd` or `yyyy/mm/dd` at `date` and the time `hh:mm:ss[.sss]` in
   * `bytes[at, to)` as UTC. Returns Unix milliseconds, or -1 if the date or the time is invalid.
   */
  #utc(view: DataView, bytes: Uint8Array, date: number, at: number, to: number): number {
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
 * Converts a Unix time to milliseconds. The magnitude of `value` determines its unit (s, ms, µs or
 * ns). Returns -1 if `value` is negative.
 */
function epochMs(value: number): number {
  if (value < 0) return -1;
  if (value < MILLISECONDS_FROM) return value * 1_000;
  if (value < MICROSECONDS_FROM) return value;
  return value < NANOSECONDS_FROM ? value / 1e3 : value / 1e6;
}

/**
 * Subtracts a UTC offset from a local time. Both are in milliseconds. Returns -1 if either is
 * invalid or the result is before 1970.
 */
function applyOffset(ms: number, offsetMs: number): number {
  return ms < 0 || Number.isNaN(offsetMs) ? -1 : Math.max(-1, ms - offsetMs);
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
