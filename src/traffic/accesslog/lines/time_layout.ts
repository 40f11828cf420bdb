import { zoneOffset } from "./zone.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH_NAME = "January|February|March|April|May|June|July|August|September|October|November|" +
  `December|${MONTHS.join("|")}`;

/** What stands for several directives. */
const SHORT: Readonly<Record<string, string>> = {
  T: "%H:%M:%S",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  F: "%Y-%m-%d",
  D: "%m/%d/%y",
  c: "%a %b %e %H:%M:%S %Y",
  h: "%b",
};

/** The text that a directive stands for, as an expression; named where the text counts. */
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
  s: "(?<s>\\d+)",
  z: "(?<z>Z|[+-]\\d\\d(?::?\\d\\d)?)",
  Z: "(?<Z>[A-Za-z]+)",
  a: "[A-Za-z]+",
  A: "[A-Za-z]+",
  n: "\\n",
  t: "\\t",
  "%": "%",
};

/** Directives whose text can be shorter than two bytes, or is longer than that, and how long at least. */
const LEAST: Readonly<Record<string, number>> = {
  ...{ Y: 4, b: 3, B: 3, e: 1, k: 1, l: 1, f: 1, s: 1, z: 1, Z: 1, a: 1, A: 1, n: 1, t: 1 },
  "%": 1,
};

/** Matches a directive of an expanded layout, or a byte between directives. */
const PART = /%(.)|[^]/g;

/** Replaces directives that stand for several, such as `%T`, by those. */
export function expandLayout(layout: string): string {
  return layout.replace(/%[-_0^#EO]?(.)/g, (_, letter: string) => SHORT[letter] ?? `%${letter}`);
}

/** The first directive of an expanded layout that cannot be read; undefined if there is none. */
export function unknownDirective(layout: string): string | undefined {
  return [...layout.matchAll(PART)].find(([, letter]) =>
    letter !== undefined && !Object.hasOwn(DIRECTIVES, letter)
  )?.[0];
}

/** Whether an expanded layout holds a date and a time, or seconds since 1970. */
export function isWholeLayout(layout: string): boolean {
  const has = (letters: string) => [...letters].some((letter) => layout.includes(`%${letter}`));
  return has("s") || has("Yy") && has("mbB") && has("de") && has("HkIl") && has("M");
}

/** How many bytes a timestamp of an expanded layout has at least. */
export function leastBytes(layout: string): number {
  return [...layout.matchAll(PART)].reduce(
    (sum, [, letter]) => sum + (letter === undefined ? 1 : LEAST[letter] ?? 2),
    0,
  );
}

/** Reads timestamps of an expanded strftime layout, with `%f` for decimals of a second. */
export class TimeLayout {
  /** Whether the timestamp read last names an offset or UTC. */
  hasZone = false;
  readonly #pattern: RegExp;

  /** For an expanded layout whose directives are known. */
  constructor(layout: string) {
    const names = new Set<string>();
    const source = layout
      .replace(
        PART,
        (text, letter?: string) => letter === undefined ? literal(text) : DIRECTIVES[letter],
      )
      // Of two directives with the same meaning the first counts.
      .replace(/\(\?<(\w)>/g, (group, name) => names.size < names.add(name).size ? group : "(?:");
    this.#pattern = new RegExp(`^${source}$`);
  }

  /** Parses the timestamp in `bytes[from, to)`; returns Unix milliseconds, or -1 if it is invalid. */
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
    const offset = zoneOffset(zone, 0, zone.length);
    const utc = localMs(found);
    return utc < 0 || Number.isNaN(offset) ? -1 : Math.max(-1, utc + part - offset);
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|\/]/, "\\$&");
}

/** Unix milliseconds of the date and the clock, as if in UTC; -1 if there is no such time. */
function localMs(found: Readonly<Record<string, string | undefined>>): number {
  // As POSIX has it, two digits are a year from 1969 to 2068.
  const short = Number(found.y);
  const year = found.Y === undefined ? short + (short < 69 ? 2_000 : 1_900) : Number(found.Y);
  const month = found.b === undefined ? Number(found.m) - 1 : MONTHS.indexOf(found.b.slice(0, 3));
  const day = Number(found.d);
  const half = found.p?.toUpperCase() === "P" ? 12 : 0;
  const hour = found.H === undefined ? Number(found.I) % 12 + half : Number(found.H);
  const minute = Number(found.M);
  const second = Number(found.S ?? 0);
  const date = new Date(Date.UTC(year, month, day));
  const exists = date.getUTCMonth() === month && date.getUTCDate() === day && year >= 1970;
  if (!exists || hour > 23 || minute > 59 || second > 60) return -1;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000;
}
