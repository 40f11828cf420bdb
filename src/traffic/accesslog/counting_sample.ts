import { ByteIndex } from "../../base/byte_index.ts";
import { random } from "../../base/random.ts";

/** A byte string and how often it was met. */
export interface Sampled {
  /** Valid until the sample changes. */
  readonly bytes: Uint8Array;
  /** Exact while the sample is; else estimated without bias. */
  readonly count: number;
}

/**
 * How often each of many byte strings was met, exactly up to `capacity` different ones. Beyond that it
 * is a counting sample (Gibbons and Matias, 1998): a new string gets in with the chance 1/t and is
 * counted from then on, and whenever there is no room t is doubled and each string in the sample takes
 * its chance again. Frequent strings stay, rare ones stand for each other. The same strings in the
 * same order give the same sample.
 */
export class CountingSample {
  readonly #capacity: number;
  readonly #random = random(1);
  #index = new ByteIndex();
  #counts: number[] = [];
  #threshold = 1;

  /** For so many different strings at most. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether every string that was met is in it with its exact count. */
  get isExact(): boolean {
    return this.#threshold === 1;
  }

  /** How many different strings are in it. */
  get size(): number {
    return this.#index.size;
  }

  /** Counts one more. */
  add(bytes: Uint8Array): void {
    const known = this.#index.find(bytes);
    if (known >= 0) this.#counts[known]++;
    else if (this.isExact || this.#random.next() * this.#threshold < 1) {
      this.#counts[this.#index.number(bytes)] = 1;
      while (this.size > this.#capacity) this.#thin();
    }
  }

  /** What is in it, as first met. */
  *entries(): Generator<Sampled> {
    // Before it got in, a string was missed t − 1 times in the mean.
    for (let i = 0; i < this.size; i++) {
      yield { bytes: this.#index.at(i), count: this.#counts[i] + this.#threshold - 1 };
    }
  }

  #thin(): void {
    const old = this.#index;
    const counts = this.#counts;
    this.#threshold *= 2;
    this.#index = new ByteIndex();
    this.#counts = [];
    for (let i = 0; i < old.size; i++) {
      const count = this.#random.next() < 0.5 ? counts[i] : counts[i] - 1 - this.#misses();
      if (count > 0) this.#counts[this.#index.number(old.at(i))] = count;
    }
  }

  /** How many chances of 1/t are missed in a row. */
  #misses(): number {
    return Math.floor(Math.log1p(-this.#random.next()) / Math.log1p(-1 / this.#threshold));
  }
}
