import { ByteIndex } from "../../../base/byte_index.ts";
import { PAUSE_BUCKETS, pauseBucket } from "./pause_counts.ts";

/** A sequence gets pause histograms after this many visits; most sequences have fewer. */
const HISTOGRAM_FROM = 4;
/** Maximum number of cells in all histograms together (32 MiB). */
const MAX_CELLS = 2 ** 23;

/** The pauses before one step of a sequence. */
export interface PauseSum {
  /** Sum in milliseconds. */
  readonly sum: number;
  /** Sum of the squares, in square milliseconds. */
  readonly squares: number;
  /** Histogram without the first visits; absent if there are too few visits. */
  readonly counts?: Uint32Array;
}

/** Visits that requested the same endpoints in the same order. */
export interface VisitSequence {
  /** Endpoint numbers. */
  readonly steps: readonly number[];
  /** Number of visits. */
  readonly count: number;
  /** Pauses before each step except the first. */
  readonly pauses: readonly PauseSum[];
}

/** Counts visits by their sequence of steps; drops rare sequences if there are too many. */
export class VisitTable {
  readonly #capacity: number;
  #index = new ByteIndex();
  #counts: number[] = [];
  /** Per sequence, alternating sums and sums of squares of its pauses. */
  #pauses: Float64Array[] = [];
  /** Per sequence, the concatenated histograms of its pauses, or undefined. */
  #histograms: (Uint32Array | undefined)[] = [];
  #cells = 0;
  /** Visits of sequences that were dropped because the table was full. */
  forgotten = 0;

  /** Keeps at most `capacity` different sequences. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Counts a visit with its steps and the pauses in milliseconds before each step but the first. */
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

  /** Returns every known sequence, most frequent first, ties in order of first occurrence. */
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

  /** Returns the histograms of a sequence, or undefined if there is no room for more. */
  #histogramsOf(number: number, pauses: number): Uint32Array | undefined {
    const cells = pauses * PAUSE_BUCKETS;
    if (this.#histograms[number] !== undefined || this.#cells + cells > MAX_CELLS) {
      return this.#histograms[number];
    }
    this.#cells += cells;
    return this.#histograms[number] = new Uint32Array(cells);
  }

  /** Drops the less frequent half of the sequences. */
  #forgetRare(): void {
    const median = this.#counts.toSorted((a, b) => b - a)[this.#capacity >> 1];
    const old = { index: this.#index, counts: this.#counts, pauses: this.#pauses };
    const histograms = this.#histograms;
    [this.#index, this.#counts, this.#pauses] = [new ByteIndex(), [], []];
    [this.#histograms, this.#cells] = [[], 0];
    old.counts.forEach((count, i) => {
      if (count <= median) return void (this.forgotten += count);
      this.#index.number(old.index.at(i));
      this.#counts.push(count);
      this.#pauses.push(old.pauses[i]);
      this.#histograms[this.#counts.length - 1] = histograms[i];
      this.#cells += histograms[i]?.length ?? 0;
    });
  }
}
