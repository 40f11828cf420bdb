import * as ascii from "../../../../base/ascii.ts";
import { parseDecimal } from "../text/bytes.ts";
import { DateClockReader, TimeLayout } from "./zoned_time.ts";
import * as parts from "./time_parts.ts";
import type { Notation, TimeReader } from "./time_parts.ts";

const { COLON, SLASH, SPACE } = ascii;
// Copied into module-local constants, because V8 inlines only such constants.
const { CLOCK_BYTES, DATE_BYTES } = parts;
const SAMPLE = "21/Nov/2026:10:00:00 +0000";
const LENGTH = SAMPLE.length;
const CLOCK = "21/Nov/2026:".length;
const CLOCK_END = CLOCK + CLOCK_BYTES;
const SECONDS = CLOCK + CLOCK_BYTES - 2;

/**
 * Length, in bytes, of a CLF timestamp without fractional seconds, `21/Nov/2026:10:00:00 +0000`.
 */
export const CLF_BYTES: number = LENGTH;

/**
 * Timestamps such as `21/Nov/2026:10:00:00 +0000`. They may have a space before the time of day,
 * fractional seconds, another zone or no zone.
 */
export const clf: Notation = {
  sample: SAMPLE,
  characters: /[\w/: +-]/,
  layouts: /^%d\/%b\/%Y[: ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/,
  counted: { clockAt: CLOCK, isDateSeparate: false, hasFraction: false },
  reader: () => new AnyClfTimeReader(),
};

/**
 * Parses timestamps of the form `21/Nov/2026:10:00:00 +0000`. Caches the last parsed minute,
 * because most lines repeat it.
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
      view.getInt32(at + CLOCK_END, true) === this.#z20 &&
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
    this.#z20 = view.getInt32(at + CLOCK_END, true);
    this.#z22 = view.getInt32(at + LENGTH - 4, true);
    return this.#minute = minute;
  }
}

/**
 * Parses all timestamps in the CLF notation, including those with fractional seconds, with a space
 * before the time of day, or without a zone.
 */
class AnyClfTimeReader implements TimeReader {
  hasZone = true;
  readonly #stamps = new ClfTimeReader();
  /** Buffer in which a timestamp is rewritten to the form of `SAMPLE`, in UTC. */
  readonly #stamp = new TextEncoder().encode(SAMPLE);
  readonly #stampView = new DataView(this.#stamp.buffer);

  read(view: DataView, bytes: Uint8Array, from: number, to: number): number {
    if (to - from === LENGTH) {
      const second = this.#stamps.read(view, bytes, from);
      this.hasZone = true;
      if (second >= 0) return second * 1_000;
    }
    const separator = bytes[from + CLOCK - 1];
    if (to - from < CLOCK_END || (separator !== COLON && separator !== SPACE)) return -1;
    for (let i = 0; i < CLOCK_END; i++) this.#stamp[i] = bytes[from + i];
    this.#stamp[CLOCK - 1] = COLON;
    const second = this.#stamps.read(this.#stampView, this.#stamp, 0);
    const clockEnd = from + CLOCK_END;
    const zone = parts.findFractionEnd(bytes, clockEnd, to);
    this.hasZone = zone < to;
    const ms = second < 0 ? -1 : second * 1_000 + parts.parseFraction(bytes, clockEnd, zone);
    return parts.subtractOffset(ms, parts.parseZone(bytes, zone, to));
  }
}

/**
 * Parses the timestamp at `at`. Returns the Unix second at which its minute starts, or -1 if the
 * timestamp is invalid or before 1970.
 */
function parseMinute(bytes: Uint8Array, at: number): number {
  const isPunctuated = bytes[at + 2] === SLASH && bytes[at + 6] === SLASH &&
    bytes[at + CLOCK - 1] === COLON && bytes[at + CLOCK_END] === SPACE;
  const year = parts.parseYear(bytes, at + 7);
  const minutes = parts.parseMinutes(bytes, at + CLOCK);
  if (!isPunctuated || year < 0 || minutes < 0) return -1;
  const month = parts.MONTHS.indexOf(
    String.fromCharCode(bytes[at + 3], bytes[at + 4], bytes[at + 5]),
  );
  const days = parts.daysSinceEpoch(year, month, parts.parseTwoDigits(bytes, at));
  const minute = (days * 1_440 + minutes) * 60 -
    parts.parseZone(bytes, at + CLOCK_END + 1, at + LENGTH) / 1_000;
  return minute >= 0 ? minute : -1;
}

/**
 * Timestamps such as `10:00:00` in UTC, with the date (such as `2026-11-21`) in a separate field.
 * They may have fractional seconds.
 */
export const clock: Notation = {
  sample: "10:00:00",
  characters: /[\d:.,]/,
  counted: { clockAt: 0, isDateSeparate: true, hasFraction: true },
  reader: () => new ClockTimeReader(),
};

class ClockTimeReader implements TimeReader {
  readonly hasZone = true;
  readonly #utc = new DateClockReader();

  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number {
    const isThere = date >= 0 && date + DATE_BYTES <= bytes.length && to - from >= CLOCK_BYTES;
    return isThere ? this.#utc.read(view, bytes, date, from, to) : -1;
  }
}

/** Smallest Unix time that is read as milliseconds. Smaller values are read as seconds. */
export const MILLISECONDS_FROM = 1e11;
/** Smallest Unix time that is read as microseconds. */
export const MICROSECONDS_FROM = 1e14;
/** Smallest Unix time that is read as nanoseconds. */
export const NANOSECONDS_FROM = 1e17;
/** Start of the year 10,000 as a Unix time in nanoseconds. Larger values are invalid. */
const NANOSECONDS_UNTIL = Date.UTC(10_000, 0) * 1e6;

/**
 * Unix times in seconds, milliseconds (from 1e11), microseconds (from 1e14) or nanoseconds (from
 * 1e17), with or without decimals.
 */
export const epoch: Notation = {
  sample: "1795255200.123",
  characters: /[\d.]/,
  layouts: /^%s(?:\.%f)?$/,
  counted: "epoch",
  reader: () => ({
    hasZone: true,
    read: (_view, bytes, from, to) => toMilliseconds(parseDecimal(bytes, from, to, 1)),
  }),
};

/**
 * Converts a Unix time to milliseconds. The magnitude of `value` determines its unit (s, ms, µs or
 * ns). Returns -1 if `value` is negative or after the year 9999.
 */
function toMilliseconds(value: number): number {
  if (value < 0 || value >= NANOSECONDS_UNTIL) return -1;
  if (value < MILLISECONDS_FROM) return value * 1_000;
  if (value < MICROSECONDS_FROM) return value;
  return value < NANOSECONDS_FROM ? value / 1e3 : value / 1e6;
}

const LETTER_T = 0x54;

/**
 * Timestamps such as `2026-11-21T10:00:00.123Z`. They may have a space instead of `T`, slashes in
 * the date, a different zone or no zone.
 */
export const iso: Notation = {
  sample: "2026-11-21T10:00:00.123Z",
  characters: /[\w:.,+-]/,
  layouts: /^%Y([-/])%m\1%d[T ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/,
  counted: { clockAt: DATE_BYTES + 1, isDateSeparate: false, hasFraction: true },
  reader: () => new IsoTimeReader(),
};

class IsoTimeReader implements TimeReader {
  hasZone = true;
  readonly #utc = new DateClockReader();

  read(view: DataView, bytes: Uint8Array, from: number, to: number): number {
    const separator = bytes[from + DATE_BYTES];
    const isLong = to - from > DATE_BYTES + CLOCK_BYTES;
    if (!isLong || (separator !== LETTER_T && separator !== SPACE)) return -1;
    const clock = from + DATE_BYTES + 1;
    const zone = parts.findFractionEnd(bytes, clock + CLOCK_BYTES, to);
    this.hasZone = zone < to;
    const ms = this.#utc.read(view, bytes, from, clock, zone);
    return parts.subtractOffset(ms, parts.parseZone(bytes, zone, to));
  }
}

/** Timestamps in an strftime layout that no other notation covers. */
export const layout: Notation = {
  sample: "Sat Nov 21 10:00:00 2026",
  characters: /[^]/,
  reader: (layout) => new LayoutTimeReader(layout),
};

class LayoutTimeReader implements TimeReader {
  readonly #layout: TimeLayout;

  constructor(layout: string) {
    this.#layout = new TimeLayout(layout);
  }

  get hasZone(): boolean {
    return this.#layout.hasZone;
  }

  read(_view: DataView, bytes: Uint8Array, from: number, to: number): number {
    return this.#layout.read(bytes, from, to);
  }
}

/** All timestamp notations. A timestamp without a zone is read as UTC. */
export const TIME_NOTATIONS: { readonly [Name in TimeNotation]: Notation } = {
  clf,
  iso,
  epoch,
  clock,
  layout,
};

/** Name of the notation in which a log format writes timestamps. */
export type TimeNotation = "clf" | "iso" | "epoch" | "clock" | "layout";

/**
 * Returns the name of the notation that covers an expanded strftime layout. Returns `layout`, the
 * general notation, if no other notation covers it.
 */
export function findNotation(layout: string): TimeNotation {
  const found = Object.entries(TIME_NOTATIONS).find(([, { layouts }]) => layouts?.test(layout));
  return (found?.[0] ?? "layout") as TimeNotation;
}
