import { ValueIndex, withoutOverlaps } from "../traffic/session/value_index.ts";

export type GeneratedKind = "number" | "random" | "uuid" | "jwt" | "timestamp";

export interface GeneratedValue {
  readonly value: string;
  readonly kind: GeneratedKind;
}

/**
 * Lists the values in `text` that a server could have generated: timestamps, UUIDs, JWTs,
 * random-looking runs of letters and digits, and numbers of at least four digits. Considers only
 * the text itself, and neither the names of fields nor the decisions of `convert`. Omits dates
 * without a time, and digits after a decimal point.
 */
export function generatedValues(text: string): GeneratedValue[] {
  const found: GeneratedValue[] = [];
  visitValues(text, ({ value, kind, digits }) => {
    if (kind === "run" && !looksRandom(value, digits)) return false;
    found.push({ value, kind: kind === "run" ? "random" : kind });
    return true;
  });
  return found;
}

/** An occurrence of a known value in text. Offsets are in UTF-16 code units; `end` is exclusive. */
export interface FoundValue {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const RUN = /^[A-Za-z0-9]{4,}$/;

/**
 * Finds known values in text, in time linear in the length of the text. Finds runs of letters and
 * digits, numbers within such runs, UUIDs, JWTs and timestamps, each in any encoding that keeps
 * letters and digits. Finds other values of at least eight characters unchanged and
 * percent-encoded.
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

  find(text: string): FoundValue[] {
    const found: FoundValue[] = this.#written.size === 0 ? [] : this.#others.find(text)
      .map((one) => ({ ...one, value: this.#written.get(one.value)! }));
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
  const run = /^[A-Za-z0-9]*/.exec(value)![0].length;
  const structured = structuredAt(value, 0, run);
  return structured !== undefined && structured.kind !== "fixed" && structured.end === value.length;
}

interface VisitedValue extends FoundValue {
  readonly kind: GeneratedKind | "run";
  readonly digits: number;
}

function visitValues(text: string, accept: (found: VisitedValue) => boolean): void {
  scanRuns(text, (start, end, digits) => {
    const structured = structuredAt(text, start, end);
    if (structured !== undefined) {
      const { kind, value, end: until } = structured;
      if (kind !== "fixed") accept({ kind, value, start, end: until, digits });
      return until;
    }
    const size = end - start;
    if (size < SHORTEST_RUN) return end;
    const value = text.slice(start, end);
    if (digits === size) {
      if (isNumberAt(text, start, end)) accept({ kind: "number", value, start, end, digits });
    } else if (!accept({ kind: "run", value, start, end, digits }) && digits >= SHORTEST_RUN) {
      for (const { 0: number, index } of value.matchAll(NUMBER)) {
        const at = start + index;
        accept({ kind: "number", value: number, start: at, end: at + number.length, digits });
      }
    }
    return end;
  });
}

/** Matches nonzero numbers with at least four digits in a run that also contains letters. */
const NUMBER = /(?<!\d)(?!0+(?!\d))\d{4,}/g;

const DATE_BEFORE = /(?<!\d)\d\d?([/.])\d\d?\1$/;
const POINT = 0x2e;

/**
 * Reports whether the digits `text[start, end)` count as a number. Returns false for zeros, the
 * fraction of a decimal number, and the year of a date such as `22.11.2026`.
 */
function isNumberAt(text: string, start: number, end: number): boolean {
  const before = start === 0 ? 0 : text.charCodeAt(start - 1);
  if (before === POINT && isDigit(text.charCodeAt(start - 2))) return false;
  if (end - start === 4 && (before === POINT || before === 0x2f)) {
    if (DATE_BEFORE.test(text.slice(Math.max(0, start - 6), start))) return false;
  }
  for (let at = start; at < end; at++) if (text.charCodeAt(at) !== 0x30) return true;
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * Maximum length, in characters, of a run of letters and digits that may look random. Longer runs
 * are assumed to be encoded documents.
 */
const LONGEST_RUN = 8_192;

const HEX = /^[0-9a-f]+$/i;
const SWITCH = /(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/g;
const CASE_SWITCH = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])/g;
const CAMEL_WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const VOWEL = /[aeiouy]/i;
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6}/i;

/**
 * Reports whether a run of ASCII letters and digits looks generated rather than written by a
 * person. `digits` is the number of digits in it. Runs that consist only of digits do not look
 * random.
 */
export function looksRandom(run: string, digits: number): boolean {
  const { length } = run;
  if (length < 5 || length > LONGEST_RUN || digits === length) return false;
  return digits === 0 ? areRandomLetters(run) : isRandomMix(run, digits);
}

function isRandomMix(run: string, digits: number): boolean {
  const { length } = run;
  const switches = count(run, SWITCH);
  if (switches >= 3) return true;
  if (length < 8) return false;
  if (HEX.test(run) && digits >= 2 && length - digits >= 2) return true;
  if (length >= 12 && switches === 2 && digits >= 2) return true;
  const cases = count(run, CASE_SWITCH);
  if (cases >= 3 && (switches === 2 || cases * 3 >= length)) return true;
  return countOddWords(run.match(CAMEL_WORD) ?? []) >= 2;
}

function areRandomLetters(run: string): boolean {
  const { length } = run;
  if (length >= 8 && count(run, CASE_SWITCH) * 2 >= length) return true;
  if (length < 10) return false;
  const words = run.match(CAMEL_WORD) ?? [];
  if (HEX.test(run) || words.some((word) => CONSONANTS.test(word))) return true;
  const odd = countOddWords(words);
  return odd >= 3 && odd * 2 >= words.length;
}

function countOddWords(words: readonly string[]): number {
  return words.filter((word) => word.length === 1 || !VOWEL.test(word)).length;
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found++;
  return found;
}

type StructuredKind = "uuid" | "jwt" | "timestamp" | "fixed";

interface Structured {
  readonly kind: StructuredKind;
  readonly end: number;
  readonly value: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/iy;
const JWT = /eyJ[\w-]{5,}\.[\w-]{4,}\.[\w-]*/y;
const ISO =
  /\d{4}-\d\d-\d\d(?:[T .]|%20|\+)\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d(?:[.,]\d{1,9})?)?(?:Z|(?:[+-]|%2B)\d\d(?::|%3A)?\d\d)?(?![0-9])/iy;
const DATE = /\d{4}-\d\d-\d\d(?![0-9])/y;
/**
 * Matches the scheme, the host and any port of a URL. Also matches percent-encoded delimiters and
 * escaped slashes.
 */
const URL_ORIGIN = /https?(?::|%3A)(?:\\*\/|%2F){2}[\w.~-]+(?:(?::|%3A)\d+)?/iy;
const HTTP_DATE =
  /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d[ -][A-Z][a-z]{2}[ -]\d{4} \d\d:\d\d:\d\d GMT/y;

const DASH = 0x2d;

function structuredAt(text: string, start: number, end: number): Structured | undefined {
  const size = end - start;
  if (size === 8 && text.charCodeAt(end) === DASH) return match(UUID, "uuid", text, start);
  if (size === 4 && text.charCodeAt(end) === DASH) {
    return match(ISO, "timestamp", text, start) ?? match(DATE, "fixed", text, start);
  }
  if (size <= 5 && text.startsWith("http", start)) return match(URL_ORIGIN, "fixed", text, start);
  if (size === 3) return match(HTTP_DATE, "timestamp", text, start);
  return size > 8 && text.startsWith("eyJ", start) ? match(JWT, "jwt", text, start) : undefined;
}

function match(
  pattern: RegExp,
  kind: StructuredKind,
  text: string,
  start: number,
): Structured | undefined {
  pattern.lastIndex = start;
  if (!pattern.test(text)) return undefined;
  const end = pattern.lastIndex;
  const written = text.slice(start, end);
  const value = written.includes("%")
    ? written.replace(/%20/g, " ").replace(/%3A/gi, ":").replace(/%2B/gi, "+")
    : written;
  return { kind, end, value };
}

const DIGIT = 1;
const LETTER = 2;
const ESCAPE = 3;

/**
 * Class of each ASCII character, such as `DIGIT`, or 0 for a delimiter. Characters that are not
 * ASCII are also delimiters.
 */
const CLASS = new Uint8Array(128);
for (let code = 0x30; code <= 0x39; code++) CLASS[code] = DIGIT;
for (let code = 0x41; code <= 0x5a; code++) CLASS[code] = CLASS[code + 0x20] = LETTER;
for (const character of "\\%&") CLASS[character.charCodeAt(0)] = ESCAPE;

const SHORTEST_RUN = 4;

const COMMA = 0x2c;
const ENTITY = /&(?:#x?[0-9a-f]{1,6}|[a-z]{2,8});/iy;
const PERCENT = /%(?:25)*[0-9a-f]{2}/iy;
const BACKSLASH = /\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbfv])?/iy;

type VisitRun = (start: number, end: number, digits: number) => number;

/**
 * Visits the maximal runs of ASCII letters and digits in `text` that have at least four characters,
 * and runs of three characters before a comma (weekdays of HTTP dates). Escape sequences (`\u003d`,
 * `\n`, `%2B`, `&amp;`) separate runs, so that a value has the same runs in each encoding. Takes
 * time linear in the length of the text.
 */
function scanRuns(text: string, visit: VisitRun): void {
  const { length } = text;
  for (let at = 0; at < length;) {
    const first = text.charCodeAt(at);
    const kind = first < 128 ? CLASS[first] : 0;
    if (kind === 0) {
      at++;
      continue;
    }
    if (kind === ESCAPE) {
      at = afterEscape(text, at, first);
      continue;
    }
    const start = at;
    let digits = 0;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      const is = code < 128 ? CLASS[code] : 0;
      if (is === DIGIT) digits++;
      else if (is !== LETTER) break;
    }
    const size = at - start;
    if (size >= SHORTEST_RUN || (size === 3 && text.charCodeAt(at) === COMMA)) {
      at = visit(start, at, digits);
    }
  }
}

function afterEscape(text: string, at: number, code: number): number {
  const pattern = code === 0x5c ? BACKSLASH : code === 0x25 ? PERCENT : ENTITY;
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at + 1;
}
