import { ByteIndex } from "../../../base/byte_index.ts";

/** Visits that asked for the same endpoints in the same order. */
export interface VisitSequence {
  /** Numbers of endpoints. */
  readonly steps: readonly number[];
  /** Visits. */
  readonly count: number;
  /** Of the pauses before each step but the first: their sum, in milliseconds, and that of their squares. */
  readonly pauses: readonly { readonly sum: number; readonly squares: number }[];
}

/** Counts visits by their sequence of steps, those that came up often if there are too many. */
export class VisitTable {
  readonly #capacity: number;
  #index = new ByteIndex();
  #counts: number[] = [];
  /** For each sequence the sums and the squares of its pauses, in turn. */
  #pauses: Float64Array[] = [];
  /** Visits of sequences that were forgotten for want of room. */
  forgotten = 0;

  /** For so many different sequences. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Counts a visit: its steps, and the milliseconds before each but the first. */
  add(steps: readonly number[], pauses: readonly number[]): void {
    const number = this.#index.number(new Uint8Array(Uint32Array.from(steps).buffer));
    if (number === this.#counts.length) {
      this.#counts.push(0);
      this.#pauses.push(new Float64Array(2 * pauses.length));
    }
    this.#counts[number]++;
    const sums = this.#pauses[number];
    for (const [i, pause] of pauses.entries()) {
      sums[2 * i] += pause;
      sums[2 * i + 1] += pause * pause;
    }
    if (this.#counts.length > this.#capacity) this.#forgetRare();
  }

  /** Every sequence that it knows, the most frequent first, ties as first met. */
  sequences(): VisitSequence[] {
    return this.#counts.map((count, i) => ({
      steps: [...new Uint32Array(this.#index.at(i).slice().buffer)],
      count,
      pauses: Array.from({ length: this.#pauses[i].length / 2 }, (_, k) => ({
        sum: this.#pauses[i][2 * k],
        squares: this.#pauses[i][2 * k + 1],
      })),
    })).sort((a, b) => b.count - a.count);
  }

  /** Keeps the more frequent half. */
  #forgetRare(): void {
    const least = this.#counts.toSorted((a, b) => b - a)[this.#capacity >> 1];
    const old = { index: this.#index, counts: this.#counts, pauses: this.#pauses };
    [this.#index, this.#counts, this.#pauses] = [new ByteIndex(), [], []];
    old.counts.forEach((count, i) => {
      if (count <= least) return void (this.forgotten += count);
      this.#index.number(old.index.at(i));
      this.#counts.push(count);
      this.#pauses.push(old.pauses[i]);
    });
  }
}
