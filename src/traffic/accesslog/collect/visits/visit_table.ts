import { ByteIndex } from "../../../../base/byte_index.ts";
import { PAUSE_BUCKETS, pauseBucket } from "./pause_counts.ts";

/**
 * Number of visits with the same sequence after which its pauses are counted in histograms. Most
 * sequences occur less often and need no histograms.
 */
const HISTOGRAM_FROM = 4;
/** Maximum total number of counters in all histograms (32 MiB). */
const MAX_CELLS = 2 ** 23;

/**
 * Statistics of the pauses before one step of a visit, across all visits with the same sequence.
 */
export interface PauseSum {
  /** Sum of the pauses in milliseconds. */
  readonly sum: number;
  /** Sum of the squared pauses, in square milliseconds. */
  readonly squares: number;
  /**
   * Histogram of the pauses (see `pauseBucket`), except those of the first four visits. Absent if
   * there were at most four visits or if the memory for histograms was used up.
   */
  readonly counts?: Uint32Array;
}

/** A group of visits that requested the same endpoints in the same order. */
export interface VisitSequence {
  /** Endpoint number of each step; see `Visits.endpoint`. */
  readonly steps: readonly number[];
  /** Number of visits with this sequence. */
  readonly count: number;
  /**
   * Statistics of the pauses before each step except the first. The list is one element shorter
   * than `steps`.
   */
  readonly pauses: readonly PauseSum[];
}

/**
 * Counts visits by their sequence of steps. If there are too many distinct sequences, the table
 * drops the rare ones.
 */
export class VisitTable {
  readonly #capacity: number;
  #index = new ByteIndex();
  #counts: number[] = [];
  /** For each sequence, the sum and the sum of squares of each of its pauses, alternating. */
  #pauses: Float64Array[] = [];
  /** For each sequence, the concatenated histograms of its pauses; undefined if it has none. */
  #histograms: (Uint32Array | undefined)[] = [];
  #cells = 0;
  /** Number of visits whose sequences were dropped because the table was full. */
  dropped = 0;

  /** Creates a table of at most `capacity` distinct sequences. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Counts one visit. `steps` contains the endpoint number of each step. `pauses` contains the
   * pause before each step except the first, in milliseconds.
   */
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
    if (this.#counts.length > this.#capacity) this.#dropRare();
  }

  /**
   * Returns all sequences in the table, sorted by number of visits, highest first. Equally frequent
   * sequences are in order of first occurrence.
   */
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

  /**
   * Returns the histograms of the sequence with the index `number`. Creates them if they do not
   * exist. Returns undefined if too little memory is left to create them.
   */
  #histogramsOf(number: number, pauses: number): Uint32Array | undefined {
    const cells = pauses * PAUSE_BUCKETS;
    if (this.#histograms[number] !== undefined || this.#cells + cells > MAX_CELLS) {
      return this.#histograms[number];
    }
    this.#cells += cells;
    return this.#histograms[number] = new Uint32Array(cells);
  }

  /** Drops the less frequent half of the sequences. */
  #dropRare(): void {
    const median = this.#counts.toSorted((a, b) => b - a)[this.#capacity >> 1];
    const old = { index: this.#index, counts: this.#counts, pauses: this.#pauses };
    const histograms = this.#histograms;
    [this.#index, this.#counts, this.#pauses] = [new ByteIndex(), [], []];
    [this.#histograms, this.#cells] = [[], 0];
    old.counts.forEach((count, i) => {
      if (count <= median) return void (this.dropped += count);
      this.#index.number(old.index.at(i));
      this.#counts.push(count);
      this.#pauses.push(old.pauses[i]);
      this.#histograms[this.#counts.length - 1] = histograms[i];
      this.#cells += histograms[i]?.length ?? 0;
    });
  }
}
