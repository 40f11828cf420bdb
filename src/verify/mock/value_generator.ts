import { type Random, random } from "../../base/random.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { VALUE_ENCODINGS } from "../session/value_encodings.ts";
import { freshValue } from "./fresh_value.ts";

/** Number of attempts to generate a unique value of the same length before trying a longer one. */
const ATTEMPTS = 40;

/** The recorded value that a fresh value replaces, and its user. */
export interface GeneratedValue {
  /** The recorded value without encoding. */
  readonly rawValue: string;
  readonly user: string;
}

interface Known extends GeneratedValue {
  /** The recorded value in the same encoding as the fresh one. */
  readonly recorded: string;
}

/** Generates unique fresh values for recorded values, and recognizes them in any encoding. */
export class ValueGenerator {
  readonly #random: Random;
  readonly #taken: Set<string>;
  readonly #known = new Map<string, Known>();
  readonly #index = new ValueIndex();

  /** Creates a generator that never generates a value in `taken`. */
  constructor(seed: number, taken: Iterable<string>) {
    this.#random = random(seed);
    this.#taken = new Set(taken);
  }

  /** Generates a fresh value that replaces the recorded value `rawValue` for a user. */
  generate(rawValue: string, user: string): string {
    const fresh = this.#unused(rawValue);
    this.#taken.add(fresh);
    for (const write of VALUE_ENCODINGS) {
      const form = write(fresh);
      if (this.#known.has(form)) continue;
      this.#known.set(form, { rawValue, user, recorded: write(rawValue) });
      this.#index.add(form);
    }
    return fresh;
  }

  /**
   * Returns the user and the recorded value of a generated value. Returns undefined for any other
   * string.
   */
  find(text: string): GeneratedValue | undefined {
    return this.#known.get(text);
  }

  /** Replaces every generated value in `text` with its recorded value. */
  recorded(text: string): string {
    const whole = this.#known.get(text);
    if (whole) return whole.recorded;
    let [recorded, done] = ["", 0];
    for (const { value, start, end } of this.#index.find(text)) {
      recorded += text.slice(done, start) + this.#known.get(value)!.recorded;
      done = end;
    }
    return recorded + text.slice(done);
  }

  #unused(rawValue: string): string {
    for (let attempt = 0, shape = rawValue;; attempt++) {
      const fresh = freshValue(shape, this.#random);
      if (!this.#taken.has(fresh)) return fresh;
      if (attempt >= ATTEMPTS) shape += "1";
    }
  }
}

/** A user of the mock server: the calls made so far, and the user's fresh values. */
export class MockUser {
  readonly name: string;
  /** Recorded calls that the user's requests have matched since the start of the session. */
  readonly taken: Set<RecordedCall> = new Set();
  /**
   * Target of the last response if it was a redirect to a URL outside the recording, or undefined
   * otherwise.
   */
  externalRedirect: string | undefined;
  readonly #generator: ValueGenerator;
  readonly #values = new Map<string, string>();

  constructor(name: string, generator: ValueGenerator) {
    this.name = name;
    this.#generator = generator;
  }

  /** Reports whether the recorded value `recorded` was regenerated for this user. */
  has(recorded: string): boolean {
    return this.#values.has(recorded);
  }

  /**
   * Returns the user's fresh value for a recorded value. Generates the fresh value on the first
   * call.
   */
  valueOf(recorded: string): string {
    return this.#values.get(recorded) ?? this.renew(recorded);
  }

  /** Generates and returns a new fresh value for a recorded value. */
  renew(recorded: string): string {
    const fresh = this.#generator.generate(recorded, this.name);
    this.#values.set(recorded, fresh);
    return fresh;
  }
}
