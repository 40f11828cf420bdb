import { type Random, random } from "../base/random.ts";
import { ValueIndex } from "../convert/correlate/value_index.ts";
import { FORMS } from "./forms.ts";
import { freshValue } from "./fresh_value.ts";

/** Attempts at a value of the same length before it is made longer. */
const ATTEMPTS = 40;

/** Whose a value is that the stand-in made, and what it stands for. */
export interface GeneratedValue {
  /** The recorded value, plain. */
  readonly plain: string;
  readonly user: string;
}

interface Known extends GeneratedValue {
  /** The recorded value in the form in which the fresh one was found. */
  readonly recorded: string;
}

/** Makes fresh values for recorded ones, none twice, and knows each again in whatever form it is sent. */
export class ValueGenerator {
  readonly #random: Random;
  readonly #taken: Set<string>;
  readonly #known = new Map<string, Known>();
  readonly #index = new ValueIndex();

  /** `taken` are texts that mean something else: no fresh value is one of them. */
  constructor(seed: number, taken: Iterable<string>) {
    this.#random = random(seed);
    this.#taken = new Set(taken);
  }

  /** A fresh value for a user in place of `plain`. */
  make(plain: string, user: string): string {
    const fresh = this.#unused(plain);
    this.#taken.add(fresh);
    for (const write of FORMS) {
      const form = write(fresh);
      if (this.#known.has(form)) continue;
      this.#known.set(form, { plain, user, recorded: write(plain) });
      this.#index.add(form);
    }
    return fresh;
  }

  /** Whose a text is, if it is a value made here; undefined for any other text. */
  find(text: string): GeneratedValue | undefined {
    return this.#known.get(text);
  }

  /** The text as it was recorded: every value that was made here taken back. */
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

  #unused(plain: string): string {
    for (let attempt = 0, shape = plain;; attempt++) {
      const fresh = freshValue(shape, this.#random);
      if (!this.#taken.has(fresh)) return fresh;
      if (attempt >= ATTEMPTS) shape += "1";
    }
  }
}
