import * as ascii from "../../../base/ascii.ts";

export interface TimeReader {
  /** Whether the last timestamp contains its zone, or its notation implies UTC. */
  readonly hasZone: boolean;
  /** Returns Unix milliseconds, or -1. `date` is the offset of a separate date. */
  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number;
}

const { COLON, DASH, PLUS, SPACE, ZERO } = ascii;
const LETTER_Z = 0x5a;
const NAMES = ["UTC", "GMT"].map((name) => new TextEncoder().encode(name));

export const MONTHS: readonly string[] = [
  ...["Jan", "Feb", "Mar", "Apr", "May", "Jun"],
  ...["Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
];
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns -1 unless both bytes are digits. */
export function parseTwoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] - ZERO;
  const ones = bytes[at + 1] - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/** Parses the four digits at `at` as a year from 1900 to 9999. Returns -1 if they are invalid. */
export function parseYear(bytes: Uint8Array, at: number): number {
  const century = parseTwoDigits(bytes, at);
  const inCentury = parseTwoDigits(bytes, at + 2);
  return century >= 19 && inCentury >= 0 ? century * 100 + inCentury : -1;
}

/** `month` is from 0 to 11. NaN if the date does not exist. */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const exists = month >= 0 && month <= 11 && day >= 1 &&
    day <= MONTH_DAYS[month] + (isLeap && month === 1 ? 1 : 0);
  if (!exists) return NaN;
  // If years are counted from March, a leap day is the last day of its year.
  const y = month > 1 ? year : year - 1;
  const m = month > 1 ? month - 2 : month + 10;
  return 365 * y + (y >> 2) - Math.floor(y / 100) + Math.floor(y / 400) +
    Math.floor((153 * m + 2) / 5) + day - 719_469;
}

/** Milliseconds of `Z`, `UTC`, `+hh`, `+hhmm` or `+hh:mm`; 0 if empty, NaN if invalid. */
export function parseZone(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return 0;
  const at = bytes[from] === SPACE ? from + 1 : from;
  const length = to - at;
  if (length === 1 && bytes[at] === LETTER_Z) return 0;
  const sign = bytes[at] === PLUS ? 1 : bytes[at] === DASH ? -1 : 0;
  if (sign === 0) return length === 3 && isName(bytes, at) ? 0 : NaN;
  const colon = length === 6 && bytes[at + 3] === COLON ? 1 : 0;
  if (length !== 3 && length !== 5 + colon) return NaN;
  const hours = parseTwoDigits(bytes, at + 1);
  const minutes = length === 3 ? 0 : parseTwoDigits(bytes, at + 3 + colon);
  const isValid = hours >= 0 && hours <= 14 && minutes >= 0 && minutes <= 59;
  return isValid ? sign * (hours * 60 + minutes) * 60_000 : NaN;
}

function isName(bytes: Uint8Array, at: number): boolean {
  for (const name of NAMES) {
    if (name[0] === bytes[at] && name[1] === bytes[at + 1] && name[2] === bytes[at + 2]) {
      return true;
    }
  }
  return false;
}

/** In all zones, local times within a quarter-hour have the same UTC offset. */
const QUARTER_MS = 900_000;

/** Reads local times: skipped ones as if the clock had not changed, repeated ones as the first. */
export class ZonedTimeReader implements TimeReader {
  readonly #reader: TimeReader;
  readonly #zone: string;
  // The last quarter of an hour and its UTC offset in milliseconds.
  #quarter = NaN;
  #offset = 0;

  /** `zone` is a result of `parseTimeZone`. */
  constructor(reader: TimeReader, zone: string) {
    this.#reader = reader;
    this.#zone = zone;
  }

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

/** Accepts `Europe/Berlin`, `+02:00` or `-0500`. Undefined if there is no such zone. */
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

/** In milliseconds. `localMs` is the Unix time that the local time would have in UTC. */
function localOffset(localMs: number, zone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(localMs).toZonedDateTimeISO("UTC")
    .toPlainDateTime();
  return localMs - local.toZonedDateTime(zone).epochMilliseconds;
}

const MONTH_NAME = "January|February|March|April|May|June|July|August|September|October|November|" +
  `December|${MONTHS.join("|")}`;

const SHORTHANDS: Readonly<Record<string, string>> = {
  T: "%H:%M:%S",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  F: "%Y-%m-%d",
  D: "%m/%d/%y",
  c: "%a %b %e %H:%M:%S %Y",
  h: "%b",
};

/** Expression for each strftime directive, with a named group for its value. */
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

/** Bytes that a directive matches; 2 if not listed. */
const MIN_BYTES: Readonly<Record<string, number>> = {
  ...{ Y: 4, b: 3, B: 3, e: 1, k: 1, l: 1, f: 1, s: 1, z: 1, Z: 1, a: 1, A: 1, n: 1, t: 1 },
  "%": 1,
};

const PART = /%(.)|[^]/g;

/** Expands `%T` and the like, and removes flags such as the `-` in `%-d`. */
export function expandLayout(layout: string): string {
  return layout.replace(
    /%[-_0^#EO]?(.)/g,
    (_, letter: string) => SHORTHANDS[letter] ?? `%${letter}`,
  );
}

/** Returns a directive such as `%j` of an expanded layout, or undefined. */
export function findUnknownDirective(layout: string): string | undefined {
  return [...layout.matchAll(PART)].find(([, letter]) =>
    letter !== undefined && !Object.hasOwn(DIRECTIVES, letter)
  )?.[0];
}

/** Whether an expanded layout contains a full date and time or Unix seconds. */
export function isWholeLayout(layout: string): boolean {
  const has = (letters: string) => [...letters].some((letter) => layout.includes(`%${letter}`));
  return has("s") || has("Yy") && has("mbB") && has("de") && has("HkIl") && has("M");
}

export function minLayoutBytes(layout: string): number {
  return [...layout.matchAll(PART)].reduce(
    (sum, [, letter]) => sum + (letter === undefined ? 1 : MIN_BYTES[letter] ?? 2),
    0,
  );
}

/** An expanded layout, in which `%f` is the fractional digits of a second. */
export class TimeLayout implements TimeReader {
  /** UTC offset, name for UTC, or Unix time. */
  hasZone = false;
  readonly #pattern: RegExp;

  /** The caller must check with `findUnknownDirective`. */
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

  /** Returns Unix milliseconds, or -1 if it is invalid or before 1970. */
  read(_view: DataView, bytes: Uint8Array, from: number, to: number): number {
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

/** Converts them as if they were in UTC. Returns -1 if they are invalid or before 1970. */
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
