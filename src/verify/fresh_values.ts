import { type Random, random } from "../base/random.ts";
import { ValueIndex, withoutOverlaps } from "../traffic/session/value_index.ts";
import { freshValue, parseTimestamp } from "./fresh_value.ts";
import { isNumberAt, NUMBER, scanRuns, structuredAt } from "./generated_values.ts";

/** An occurrence of a known value in text. Offsets are in UTF-16 code units; `end` is exclusive. */
export interface FoundValue {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const MASK_BITS = 1 << 16;
const RUN = /^[A-Za-z0-9]{4,}$/;

/**
 * Finds known values in text, in time linear in the length of the text. Finds runs of letters and
 * digits, numbers within such runs, UUIDs, JWTs and timestamps, each in any encoding that keeps
 * letters and digits. Finds other values of at least eight characters unchanged and
 * percent-encoded.
 */
export class ValueFinder {
  readonly #values = new Set<string>();
  readonly #mask = new Uint32Array(MASK_BITS / 32);
  readonly #others = new ValueIndex();
  /** Original values, keyed by the percent-encoded form that `#others` contains. */
  readonly #encoded = new Map<string, string>();
  #hasOthers = false;

  /** Adds a value to search for. */
  add(value: string): void {
    if (this.#values.has(value)) return;
    this.#values.add(value);
    if (RUN.test(value)) this.#mark(value);
    else if (!isStructured(value)) {
      const encoded = encodeURIComponent(value.toWellFormed());
      this.#others.add(value);
      if (encoded !== value) {
        this.#others.add(encoded);
        this.#encoded.set(encoded, value);
      }
      this.#hasOthers = true;
    }
  }

  has(value: string): boolean {
    return this.#values.has(value);
  }

  /** Returns the occurrences of the added values, in order and without overlaps. */
  find(text: string): FoundValue[] {
    const found: FoundValue[] = this.#hasOthers ? this.#findOthers(text) : [];
    const others = found.length;
    scanRuns(text, (start, end, digits) => {
      const structured = structuredAt(text, start, end);
      if (structured !== undefined) {
        const { value, end: until } = structured;
        if (this.#values.has(value)) found.push({ value, start, end: until });
        return until;
      }
      if (end - start < 4) return end;
      if (this.#mayHave(text, start, end) && this.#isKnown(text, start, end, digits)) {
        found.push({ value: text.slice(start, end), start, end });
      } else if (digits >= 4 && digits < end - start) this.#findNumbers(text, start, end, found);
      return end;
    });
    return others > 0 ? withoutOverlaps(found) : found;
  }

  #findOthers(text: string): FoundValue[] {
    return this.#others.find(text).map((found) => {
      const value = this.#encoded.get(found.value);
      return value === undefined ? found : { ...found, value };
    });
  }

  #isKnown(text: string, start: number, end: number, digits: number): boolean {
    return this.#values.has(text.slice(start, end)) &&
      (digits < end - start || isNumberAt(text, start, end));
  }

  #findNumbers(text: string, start: number, end: number, found: FoundValue[]): void {
    for (const { 0: value, index } of text.slice(start, end).matchAll(NUMBER)) {
      if (!this.#values.has(value)) continue;
      found.push({ value, start: start + index, end: start + index + value.length });
    }
  }

  #mark(value: string): void {
    const bit = hash(value, 0, value.length);
    this.#mask[bit >>> 5] |= 1 << (bit & 31);
  }

  /**
   * Prefilter that does not copy the run: reports whether a run may contain an added value. May
   * return false positives, never false negatives.
   */
  #mayHave(text: string, start: number, end: number): boolean {
    const bit = hash(text, start, end);
    return (this.#mask[bit >>> 5] & (1 << (bit & 31))) !== 0;
  }
}

/**
 * Hashes the length and four characters of `text[start, end)`, which must have at least four
 * characters.
 */
function hash(text: string, start: number, end: number): number {
  const size = end - start;
  let mixed = size;
  mixed = Math.imul(mixed, 0x01000193) ^ text.charCodeAt(start);
  mixed = Math.imul(mixed, 0x01000193) ^ text.charCodeAt(start + (size >> 1));
  mixed = Math.imul(mixed, 0x01000193) ^ text.charCodeAt(end - 2);
  mixed = Math.imul(mixed, 0x01000193) ^ text.charCodeAt(end - 1);
  return (mixed ^ (mixed >>> 16)) & (MASK_BITS - 1);
}

function isStructured(value: string): boolean {
  const run = /^[A-Za-z0-9]*/.exec(value)![0].length;
  const structured = structuredAt(value, 0, run);
  return structured !== undefined && structured.kind !== "fixed" && structured.end === value.length;
}

/** Number of attempts to generate a unique value of the same length before trying a longer one. */
const ATTEMPTS = 40;
const DAY_MS = 86_400_000;

/** The recorded value that a fresh value replaces, and the user who gets the fresh value. */
export interface Origin {
  readonly recorded: string;
  /**
   * Identifies the recorded value: the value itself or, for a short id, NUL, the kind of the id,
   * NUL and the id.
   */
  readonly key: string;
  readonly user: string;
}

/** A fresh value in text, with its origin. */
export interface FoundFresh extends FoundValue, Origin {}

/** Generates unique fresh values for recorded values, and finds them in text. */
export class FreshValues {
  readonly #random: Random;
  readonly #taken: Set<string>;
  readonly #origins = new Map<string, Origin>();
  readonly #finder = new ValueFinder();

  /** Creates a generator that never generates a value in `taken`. */
  constructor(seed: number, taken: Iterable<string>) {
    this.#random = random(seed);
    this.#taken = new Set(taken);
  }

  /** Returns a random duration, in milliseconds, by which to move the timestamps of one user. */
  shift(): number {
    return this.#random.int(1, 60) * DAY_MS + this.#random.int(0, DAY_MS - 1);
  }

  /**
   * Generates a fresh value for a user, whose timestamps move by `shift`. `key` identifies the
   * recorded value. It is the value itself or, for a short id, NUL, the kind of the id, NUL and
   * the id. A fresh short id is longer than the recorded one, so that it is unique.
   */
  generate(key: string, user: string, shift: number): string {
    const recorded = key.slice(key.lastIndexOf("\0") + 1);
    const fresh = key === recorded ? this.#unused(recorded, shift) : this.#unusedId(recorded);
    this.#taken.add(fresh);
    this.#origins.set(fresh, { recorded, key, user });
    this.#finder.add(fresh);
    return fresh;
  }

  /** Returns the fresh values in `text`, in order. */
  find(text: string): FoundFresh[] {
    return this.#finder.find(text).map((found) => ({
      ...found,
      ...this.#origins.get(found.value)!,
    }));
  }

  /** Replaces every fresh value in `text` with its recorded value. */
  recorded(text: string): string {
    let [recorded, done] = ["", 0];
    for (const { start, end, recorded: value } of this.find(text)) {
      recorded += text.slice(done, start) + value;
      done = end;
    }
    return recorded + text.slice(done);
  }

  #unusedId(recorded: string): string {
    for (;;) {
      const number = String(this.#random.int(100_000, 999_999_999));
      const fresh = /\d/.test(recorded) ? recorded.replace(/\d+/, number) : recorded + number;
      if (!this.#taken.has(fresh)) return fresh;
    }
  }

  #unused(recorded: string, shift: number): string {
    const step = parseTimestamp(recorded)?.step ?? 0;
    for (let attempt = 0, shape = recorded;; attempt++) {
      const fresh = freshValue(shape, this.#random, step && shift + attempt * step);
      if (!this.#taken.has(fresh)) return fresh;
      if (step === 0 && attempt >= ATTEMPTS) shape += "1";
    }
  }
}
