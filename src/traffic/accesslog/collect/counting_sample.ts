import { ByteIndex } from "../../../base/byte_index.ts";
import { random } from "../../../base/random.ts";

/** A byte string and its number of occurrences. */
export interface SampledBytes {
  /** The byte string, valid until the sample changes. */
  readonly bytes: Uint8Array;
  /**
   * Number of occurrences. It is exact if the sample's `isExact` is true, otherwise an unbiased
   * estimate.
   */
  readonly count: number;
}

/**
 * Counts the occurrences of byte strings. The counts are exact for up to `capacity` distinct
 * strings.
 *
 * Beyond that, it is a counting sample (Gibbons and Matias, 1998): each occurrence of a new string
 * adds the string to the sample with probability 1/t. From then on, the string is counted. When the
 * sample is full, t doubles, and each string is kept or dropped at random according to the new
 * probability. Frequent strings are kept. Each remaining rare string represents others that were
 * dropped. The random numbers are seeded, so the same strings in the same order give the same
 * sample.
 */
export class CountingSample {
  readonly #capacity: number;
  readonly #random = random(1);
  #index = new ByteIndex();
  #counts: number[] = [];
  #threshold = 1;

  /** Creates a sample of at most `capacity` distinct strings. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** True if the sample contains every string that was added, with its exact count. */
  get isExact(): boolean {
    return this.#threshold === 1;
  }

  /** Number of distinct strings in the sample. */
  get size(): number {
    return this.#index.size;
  }

  /** Counts one occurrence of a byte string. The sample stores a copy. */
  add(bytes: Uint8Array): void {
    const known = this.#index.find(bytes);
    if (known >= 0) this.#counts[known]++;
    else if (this.isExact || this.#random.next() * this.#threshold < 1) {
      this.#counts[this.#index.number(bytes)] = 1;
      while (this.size > this.#capacity) this.#thin();
    }
  }

  /** Yields the sampled strings in the order in which they entered the sample. */
  *entries(): Generator<SampledBytes> {
    // On average, a string occurs t − 1 times before it enters the sample.
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

  /**
   * Draws at random the number of failures before the first success, in trials that each succeed
   * with probability 1/t.
   */
  #misses(): number {
    return Math.floor(Math.log1p(-this.#random.next()) / Math.log1p(-1 / this.#threshold));
  }
}
