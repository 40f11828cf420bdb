import * as ascii from "../../../../base/ascii.ts";
import * as parts from "./time_parts.ts";
import { daysSinceEpoch, MONTHS, parseZone, type TimeReader } from "./time_parts.ts";
import * as notation from "./time_parts.ts";

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

const MONTH_NAME = "January|February|March|April|May|June|July|August|September|October|November|" +
  `December|${MONTHS.join("|")}`;

/** Expansions of the strftime directives that abbreviate others, such as `%H:%M:%S` for `%T`. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  T: "%H:%M:%S",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  F: "%Y-%m-%d",
  D: "%m/%d/%y",
  c: "%a %b %e %H:%M:%S %Y",
  h: "%b",
};

/**
 * Regular expression for each strftime directive. It contains a named group if the directive's
 * value is used.
 */
const DIRECTIVES: Readonly<Record<string, string>> = {
  Y: "(?<Y>\\d{4})",
  y: "(?<y>\\d\\d)",
  m: "(?<m>\\d\\d)",
  b: `(?<b>${MONTH_NAME})`,
  B: `(?<b>${MONTH_NAME})`,
  d: "(?<d>\\d\\d)",
  e: " ?(?<d>\\d\\d?)",
  H: "(?<H>\\d\\d)",
  k: " ?(?<H>\\d\\d?)",
  I: "(?<I>\\d\\d)",
  l: " ?(?<I>\\d\\d?)",
  p: "(?<p>[AaPp])[Mm]",
  M: "(?<M>\\d\\d)",
  S: "(?<S>\\d\\d)",
  f: "(?<f>\\d+)",
  s: "(?<s>\\d{1,11})",
  z: "(?<z>Z|[+-]\\d\\d(?::?\\d\\d)?)",
  Z: "(?<Z>[A-Za-z]+)",
  a: "[A-Za-z]+",
  A: "[A-Za-z]+",
  n: "\\n",
  t: "\\t",
  "%": "%",
};

/**
 * Minimum number of bytes that a directive matches. Directives that are not listed match at least
 * two.
 */
const MIN_BYTES: Readonly<Record<string, number>> = {
  ...{ Y: 4, b: 3, B: 3, e: 1, k: 1, l: 1, f: 1, s: 1, z: 1, Z: 1, a: 1, A: 1, n: 1, t: 1 },
  "%": 1,
};

/** Matches a directive in an expanded layout, or a byte between directives. */
const PART = /%(.)|[^]/g;

/**
 * Expands abbreviations such as `%T` in an strftime layout, and removes flags such as the `-` in
 * `%-d`.
 */
export function expandLayout(layout: string): string {
  return layout.replace(
    /%[-_0^#EO]?(.)/g,
    (_, letter: string) => SHORTHANDS[letter] ?? `%${letter}`,
  );
}

/**
 * Returns the first unsupported directive in an expanded strftime layout, such as `%j`, or
 * undefined if all are supported.
 */
export function findUnknownDirective(layout: string): string | undefined {
  return [...layout.matchAll(PART)].find(([, letter]) =>
    letter !== undefined && !Object.hasOwn(DIRECTIVES, letter)
  )?.[0];
}

/** Reports whether an expanded strftime layout contains a full date and time or Unix seconds. */
export function isWholeLayout(layout: string): boolean {
  const has = (letters: string) => [...letters].some((letter) => layout.includes(`%${letter}`));
  return has("s") || has("Yy") && has("mbB") && has("de") && has("HkIl") && has("M");
}

/** Returns the minimum length, in bytes, of a timestamp with this expanded strftime layout. */
export function minLayoutBytes(layout: string): number {
  return [...layout.matchAll(PART)].reduce(
    (sum, [, letter]) => sum + (letter === undefined ? 1 : MIN_BYTES[letter] ?? 2),
    0,
  );
}

/**
 * Parses timestamps with an expanded strftime layout, in which `%f` represents the fractional
 * digits of a second.
 */
export class TimeLayout {
  /**
   * True if the last timestamp that `read` parsed contains a UTC offset or a name for UTC (`UTC`,
   * `GMT` or `Z`), or is a Unix time.
   */
  hasZone = false;
  readonly #pattern: RegExp;

  /**
   * Compiles an expanded strftime layout. The caller must check with `findUnknownDirective` that
   * all directives are supported.
   */
  constructor(layout: string) {
    const names = new Set<string>();
    const source = layout
      .replace(
        PART,
        (text, letter?: string) => letter === undefined ? RegExp.escape(text) : DIRECTIVES[letter],
      )
      // If several directives set the same value, uses the first one.
      .replace(/\(\?<(\w)>/g, (group, name) => names.size < names.add(name).size ? group : "(?:");
    this.#pattern = new RegExp(`^${source}$`);
  }

  /**
   * Parses the timestamp in `bytes[from, to)`. Returns Unix milliseconds, or -1 if the timestamp is
   * invalid or before 1970.
   */
  read(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > 100) return -1;
    const found = this.#pattern.exec(String.fromCharCode(...bytes.subarray(from, to)))?.groups;
    if (found === undefined) return -1;
    const part = found.f === undefined ? 0 : Math.floor(Number(`0.${found.f}`) * 1_000);
    if (found.s !== undefined) {
      this.hasZone = true;
      return Number(found.s) * 1_000 + part;
    }
    this.hasZone = found.z !== undefined || /^(?:UTC|GMT|Z)$/.test(found.Z ?? "");
    const zone = new TextEncoder().encode(found.z ?? "");
    const offset = parseZone(zone, 0, zone.length);
    const utc = localMs(found);
    return utc < 0 || Number.isNaN(offset) ? -1 : Math.max(-1, utc + part - offset);
  }
}

/**
 * Converts a parsed date and time to Unix milliseconds, as if they were in UTC. Returns -1 if they
 * are invalid or before 1970.
 */
function localMs(found: Readonly<Record<string, string | undefined>>): number {
  // In POSIX, two-digit years mean 1969 to 2068.
  const short = Number(found.y);
  const year = found.Y === undefined ? short + (short < 69 ? 2_000 : 1_900) : Number(found.Y);
  const month = found.b === undefined ? Number(found.m) - 1 : MONTHS.indexOf(found.b.slice(0, 3));
  const day = Number(found.d);
  const half = found.p?.toUpperCase() === "P" ? 12 : 0;
  const hour = found.H === undefined ? Number(found.I) % 12 + half : Number(found.H);
  const minute = Number(found.M);
  const second = Number(found.S ?? 0);
  const days = daysSinceEpoch(year, month, day);
  if (!(days >= 0) || hour > 23 || minute > 59 || second > 60) return -1;
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000;
}
