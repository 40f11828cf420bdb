import { daysSinceEpoch, MONTHS, parseZone } from "./time_parts.ts";

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
