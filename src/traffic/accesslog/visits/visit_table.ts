import { ByteIndex } from "../../../base/byte_index.ts";
import { PAUSE_BUCKETS, pauseBucket } from "./pause_counts.ts";

/** A sequence has histograms of its pauses after this many visits: most sequences have fewer. */
const HISTOGRAM_FROM = 4;
/** Numbers in all histograms together: 32 MiB. */
const MOST_CELLS = 2 ** 23;

/** The pauses before one step of a sequence. */
export interface PauseSum {
  /** Their sum, in milliseconds, and the sum of their squares. */
  readonly sum: number;
  readonly squares: number;
  /** Their histogram, without those of the first visits; absent if there are too few visits. */
  readonly counts?: Uint32Array;
}

/** Visits that asked for the same endpoints in the same order. */
export interface VisitSequence {
  /** Numbers of endpoints. */
  readonly steps: readonly number[];
  /** Visits. */
  readonly count: number;
  /** The pauses before each step but the first. */
  readonly pauses: readonly PauseSum[];
}

/** Counts visits by their sequence of steps, those that came up often if there are too many. */
export class VisitTable {
  readonly #capacity: number;
  #index = new ByteIndex();
  #counts: number[] = [];
  /** For each sequence the sums and the squares of its pauses, in turn. */
  #pauses: Float64Array[] = [];
  /** For some sequences the histograms of their pauses, one after the other. */
  #histograms: (Uint32Array | undefined)[] = [];
  #cells = 0;
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
    const visits = ++this.#counts[number];
    const histograms = visits > HISTOGRAM_FROM
      ? this.#histogramsOf(number, pauses.length)
      : undefined;
    const sums = this.#pauses[number];
    for (const [i, pause] of pauses.entries()) {
      sums[2 * i] += pause;
      sums[2 * i + 1] += pause * pause;
      if (histograms) histograms[i * PAUSE_BUCKETS + pauseBucket(pause)]++;
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
        counts: this.#histograms[i]?.subarray(k * PAUSE_BUCKETS, (k + 1) * PAUSE_BUCKETS),
      })),
    })).sort((a, b) => b.count - a.count);
  }

  /** The histograms of a sequence; undefined if there is no room for more. */
  #histogramsOf(number: number, pauses: number): Uint32Array | undefined {
    const cells = pauses * PAUSE_BUCKETS;
    if (this.#histograms[number] !== undefined || this.#cells + cells > MOST_CELLS) {
      return this.#histograms[number];
    }
    this.#cells += cells;
    return this.#histograms[number] = new Uint32Array(cells);
  }

  /** Keeps the more frequent half. */
  #forgetRare(): void {
    const least = this.#counts.toSorted((a, b) => b - a)[this.#capacity >> 1];
    const old = { index: this.#index, counts: this.#counts, pauses: this.#pauses };
    const histograms = this.#histograms;
    [this.#index, this.#counts, this.#pauses] = [new ByteIndex(), [], []];
    [this.#histograms, this.#cells] = [[], 0];
    old.counts.forEach((count, i) => {
      if (count <= least) return void (this.forgotten += count);
      this.#index.number(old.index.at(i));
      this.#counts.push(count);
      this.#pauses.push(old.pauses[i]);
      this.#histograms[this.#counts.length - 1] = histograms[i];
      this.#cells += histograms[i]?.length ?? 0;
    });
  }
}
