import { type Random, random } from "../../base/random.ts";
import { freshValue } from "./fresh_value.ts";
import { parseTimestamp } from "./timestamps.ts";
import { type FoundValue, ValueFinder } from "./value_finder.ts";

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
    const start = /^\d+$/.test(recorded) ? "" : recorded;
    for (;;) {
      const fresh = start + this.#random.int(100_000, 999_999_999);
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
