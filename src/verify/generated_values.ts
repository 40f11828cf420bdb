import { looksGenerated } from "../traffic/session/dynamic_value.ts";
import { UUID } from "../base/random.ts";
import { type Found, ValueIndex, withoutOverlaps } from "../traffic/session/value_index.ts";

export type GeneratedKind = "number" | "random" | "uuid" | "jwt" | "timestamp";

export interface GeneratedValue {
  readonly value: string;
  readonly kind: GeneratedKind;
}

/**
 * Lists the values in `text` that a server could have generated, regardless of field names and of
 * `convert`. Omits dates without a time, and digits after a decimal point.
 */
export function generatedValues(text: string): GeneratedValue[] {
  const found: GeneratedValue[] = [];
  visitValues(text, ({ value, kind }) => {
    if (kind === "run" && !looksRandom(value)) return false;
    found.push({ value, kind: kind === "run" ? "random" : kind });
    return true;
  });
  return found;
}

const RUN = /^[A-Za-z0-9]{4,}$/;

/**
 * Finds known values in text, in linear time: runs of letters and digits, numbers in them, UUIDs,
 * JWTs and timestamps in encodings that keep these; others plain and percent-encoded.
 */
export class ValueFinder {
  readonly #values = new Set<string>();
  readonly #others = new ValueIndex();
  readonly #written = new Map<string, string>();

  add(value: string): void {
    if (this.#values.has(value)) return;
    this.#values.add(value);
    if (RUN.test(value) || isStructured(value)) return;
    for (const form of [value, encodeURIComponent(value.toWellFormed())]) {
      this.#others.add(form);
      this.#written.set(form, value);
    }
  }

  has(value: string): boolean {
    return this.#values.has(value);
  }

  find(text: string): Found[] {
    const found: Found[] = this.#written.size === 0 ? [] : this.#others.find(text)
      .map((match) => ({ ...match, value: this.#written.get(match.value)! }));
    const others = found.length;
    visitValues(text, ({ value, start, end }) => {
      if (!this.#values.has(value)) return false;
      found.push({ value, start, end });
      return true;
    });
    return others > 0 ? withoutOverlaps(found) : found;
  }
}

function isStructured(value: string): boolean {
  const [match] = value.matchAll(VALUES);
  return match?.[0] === value && structuredKind(match) !== undefined;
}

interface VisitedValue extends Found {
  readonly kind: GeneratedKind | "run";
}

const ESCAPE =
  /&(?:#x?[\da-fA-F]{1,6}|[a-zA-Z]{2,8});|%(?:25)*[\da-fA-F]{2}|\\+(?:[uU][\da-fA-F]{4}|[xX][\da-fA-F]{2}|[nrtbfvNRTBFV])?/;
const ISO =
  /\d{4}-\d\d-\d\d(?:[Tt .]|%20|\+)\d\d(?::|%3[aA])\d\d(?:(?::|%3[aA])\d\d(?:[.,]\d{1,9})?)?(?:[zZ]|(?:[+-]|%2[bB])\d\d(?::|%3[aA])?\d\d)?(?!\d)/;
const HTTP_DATE =
  /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d[ -][A-Z][a-z]{2}[ -]\d{4} \d\d:\d\d:\d\d GMT/;
const JWT = /eyJ(?=[a-zA-Z\d]{6})[\w-]{5,}\.[\w-]{4,}\.[\w-]*/;
const DATE = /\d{4}-\d\d-\d\d(?!\d)/;
/** Matches the scheme, the host and any port of a URL, also with escaped delimiters. */
const URL_ORIGIN = /https?(?::|%3[aA])(?:\\*\/|%2[fF]){2}[\w.~-]+(?:(?::|%3[aA])\d+)?/;

/**
 * Matches UUIDs, timestamps, JWTs, and runs of letters and digits. Escape sequences separate runs,
 * so that a value has the same runs in each encoding.
 */
const VALUES = new RegExp(
  `${ESCAPE.source}|(${UUID}(?![\\da-zA-Z]))|(${ISO.source}|${HTTP_DATE.source})|(${JWT.source})|` +
    `${DATE.source}|${URL_ORIGIN.source}|([a-zA-Z\\d]+)`,
  "g",
);

function structuredKind([, uuid, timestamp, jwt]: RegExpExecArray): GeneratedKind | undefined {
  return uuid ? "uuid" : timestamp ? "timestamp" : jwt ? "jwt" : undefined;
}

function visitValues(text: string, accept: (found: VisitedValue) => boolean): void {
  for (const match of text.matchAll(VALUES)) {
    const { 0: written, 4: run, index: start } = match;
    const end = start + written.length;
    const kind = structuredKind(match);
    if (kind !== undefined) accept({ kind, value: decodedValue(written), start, end });
    if (run === undefined || run.length < SHORTEST_RUN) continue;
    if (!/\D/.test(run)) {
      const before = text.slice(Math.max(0, start - 6), start);
      if (isNumber(run, before)) accept({ kind: "number", value: run, start, end });
    } else if (!accept({ kind: "run", value: run, start, end })) {
      for (const { 0: value, index } of run.matchAll(NUMBER)) {
        const at = start + index;
        accept({ kind: "number", value, start: at, end: at + value.length });
      }
    }
  }
}

function decodedValue(written: string): string {
  return written.includes("%")
    ? written.replace(/%20/g, " ").replace(/%3A/gi, ":").replace(/%2B/gi, "+")
    : written;
}

const SHORTEST_RUN = 4;

/** Matches numbers except zero in a run with letters. */
const NUMBER = /(?<!\d)(?!0+(?!\d))\d{4,}/g;

/** Returns false for zeros, decimals, and the year of a date such as `22/11/2026`. */
function isNumber(digits: string, before: string): boolean {
  const isYear = digits.length === 4 && /(?<!\d)\d\d?([/.])\d\d?\1$/.test(before);
  return /[1-9]/.test(digits) && !isYear && !/\d\.$/.test(before);
}

/** Longer runs are encoded documents. */
const LONGEST_RUN = 8_192;

/** Matches numbers, also next to one letter, and words with a number, such as `wpTextbox1`. */
const NUMBERED = /^(?:[A-Za-z]?\d+[A-Za-z]?|[a-z]*(?:[A-Z][a-z]+){0,3}(?<=[a-z]{4})\d{1,2})$/;

/** Reports whether a run of letters and digits looks generated. False for digits only. */
export function looksRandom(run: string): boolean {
  const { length } = run;
  return length >= 5 && length <= LONGEST_RUN && !NUMBERED.test(run) && looksGenerated(run);
}
