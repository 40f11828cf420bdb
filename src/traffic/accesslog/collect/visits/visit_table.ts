import { ByteIndex } from "../../../../base/byte_index.ts";
import { PAUSE_BUCKETS, pauseBucket } from "./pause_counts.ts";

/**
 * Maximum number of visits in a group whose pauses are stored individually, in `VisitGroup.few`. A
 * larger group has histograms instead. Most groups are small enough to need none.
 */
const FEW_VISITS = 4;
/** Exclusive upper limit of the low part of a sum of squares, which is stored in two parts. */
export const LIMB: number = 2 ** 52;

/**
 * Statistics on the pauses before one step of a visit, across all visits with the same sequence.
 */
export interface PauseSum {
  /** Sum of the pauses in milliseconds. */
  readonly sum: number;
  /** Sum of the squared pauses, in square milliseconds. */
  readonly squares: number;
  /** Histogram of the pauses (see `pauseBucket`). Absent if there were at most four visits. */
  readonly counts?: Uint32Array;
}

/** A group of visits in which the same endpoints were requested in the same order. */
export interface VisitSequence {
  /** Endpoint number of each step; see `Visits.endpoint`. */
  readonly steps: readonly number[];
  /** Number of visits with this sequence. */
  readonly count: number;
  /**
   * Statistics on the pauses before each step except the first. The list is one element shorter
   * than `steps`.
   */
  readonly pauses: readonly PauseSum[];
}

/** Visits that have the same sequence of steps, by visitors with the same sampling level. */
export interface VisitGroup {
  readonly level: number;
  readonly steps: Uint32Array;
  count: number;
  /** For each step except the first, the sum of the pauses before it, in milliseconds. */
  readonly sums: Float64Array;
  /**
   * For each step except the first, the sum of the squared pauses before it, in square
   * milliseconds. Each sum is two numbers: `high` · 2^52 + `low`. A single number would be rounded,
   * so it would depend on the order of the visits.
   */
  readonly squares: Float64Array;
  /**
   * Histogram bucket of each pause in each visit. Absent if there are more than `FEW_VISITS`
   * visits.
   */
  few?: Uint8Array;
  /** Concatenated histograms of the pauses. Absent if `few` is set. */
  histograms?: Uint32Array;
}

/** Counts visits by their sequence of steps and by the sampling level of their visitor. */
export class VisitTable {
  #index = new ByteIndex();
  #groups: VisitGroup[] = [];
  #cells = 0;

  /** Number of groups. */
  get size(): number {
    return this.#groups.length;
  }

  /** Total number of counters in all histograms. */
  get cells(): number {
    return this.#cells;
  }

  /** Groups in insertion order. */
  get groups(): readonly VisitGroup[] {
    return this.#groups;
  }

  /**
   * Counts one visit of a visitor with this sampling level. `steps` contains the endpoint number of
   * each step. `pauses` contains the pause before each step except the first, in whole
   * milliseconds.
   */
  add(steps: readonly number[], pauses: readonly number[], level = 0): void {
    const group = this.group(level, steps);
    const before = group.count++;
    for (let i = 0; i < pauses.length; i++) {
      group.sums[i] += pauses[i];
      addSquares(group, i, 0, pauses[i] ** 2);
    }
    if (before === FEW_VISITS) this.#useHistograms(group);
    for (let i = 0; i < pauses.length; i++) {
      const bucket = pauseBucket(pauses[i]);
      if (group.histograms) group.histograms[i * PAUSE_BUCKETS + bucket]++;
      else group.few![before * pauses.length + i] = bucket;
    }
  }

  /** Adds the visits of another group to the group with this `level` and these `steps`. */
  merge(group: VisitGroup, level: number, steps: ArrayLike<number>): void {
    const own = this.group(level, steps);
    const { length } = own.sums;
    const before = own.count;
    own.count += group.count;
    if (own.count > FEW_VISITS) this.#useHistograms(own, before);
    const countOf = bucketCounts(group);
    for (let i = 0; i < length; i++) {
      own.sums[i] += group.sums[i];
      addSquares(own, i, group.squares[2 * i], group.squares[2 * i + 1]);
      let visit = before;
      for (let bucket = 0; bucket < PAUSE_BUCKETS; bucket++) {
        const count = countOf(i, bucket);
        if (own.histograms) own.histograms[i * PAUSE_BUCKETS + bucket] += count;
        else for (let k = 0; k < count; k++) own.few![length * visit++ + i] = bucket;
      }
    }
  }

  /**
   * Returns the group with this `level` and these `steps`. Adds an empty group if the table has no
   * such group.
   */
  group(level: number, steps: ArrayLike<number>): VisitGroup {
    const key = new Uint32Array(1 + steps.length);
    key[0] = level;
    key.set(steps, 1);
    const number = this.#index.number(new Uint8Array(key.buffer));
    if (number === this.#groups.length) {
      const pauses = steps.length - 1;
      this.#groups.push({
        level,
        steps: key.subarray(1),
        count: 0,
        sums: new Float64Array(pauses),
        squares: new Float64Array(2 * pauses),
        few: new Uint8Array(FEW_VISITS * pauses),
      });
    }
    return this.#groups[number];
  }

  /**
   * Drops the visits of visitors whose sampling level is below `level`. `numbers` maps the endpoint
   * numbers in the remaining visits to new ones.
   */
  raise(level: number, numbers: ArrayLike<number>): void {
    const old = this.#groups;
    this.#index = new ByteIndex();
    this.#groups = [];
    this.#cells = 0;
    for (const group of old) {
      if (group.level < level) continue;
      const steps = group.steps.map((step) => numbers[step]);
      const { count, sums, squares, few, histograms } = group;
      Object.assign(this.group(group.level, steps), { count, sums, squares, few, histograms });
      this.#cells += histograms?.length ?? 0;
    }
  }

  /**
   * Returns the visit sequences in the table, sorted by total number of visits across all sampling
   * levels, highest first. Equally frequent sequences are sorted by the `rank` of their steps.
   */
  sequences(rank: (endpoint: number) => number = (endpoint) => endpoint): VisitSequence[] {
    const merged = new VisitTable();
    for (const group of this.#groups) merged.merge(group, 0, group.steps);
    const ranks = (steps: Uint32Array) => steps.map(rank);
    return merged.#groups.map((group) => ({ group, ranks: ranks(group.steps) }))
      .sort((a, b) => b.group.count - a.group.count || compare(a.ranks, b.ranks))
      .map(({ group: { steps, count, sums, squares, histograms } }) => ({
        steps: [...steps],
        count,
        pauses: Array.from(sums, (sum, i) => ({
          sum,
          squares: squares[2 * i] * LIMB + squares[2 * i + 1],
          counts: histograms?.subarray(i * PAUSE_BUCKETS, (i + 1) * PAUSE_BUCKETS),
        })),
      }));
  }

  /**
   * Replaces the list of buckets in a group with histograms. `visits` is the number of visits in
   * the list.
   */
  #useHistograms(group: VisitGroup, visits: number = FEW_VISITS): void {
    if (group.histograms !== undefined) return;
    const { length } = group.sums;
    group.histograms = new Uint32Array(length * PAUSE_BUCKETS);
    for (let i = 0; i < visits * length; i++) {
      group.histograms[(i % length) * PAUSE_BUCKETS + group.few![i]]++;
    }
    group.few = undefined;
    this.#cells += group.histograms.length;
  }
}

/**
 * Adds `high` · 2^52 + `low` to the sum of the squared pauses before one step of a visit. `pause`
 * is the index of that sum, which is 0 for the second step.
 */
function addSquares(
  { squares }: VisitGroup,
  pause: number,
  high: number,
  low: number,
): void {
  const sum = squares[2 * pause + 1] + low;
  const carry = sum < LIMB ? 0 : 1;
  squares[2 * pause] += high + carry;
  squares[2 * pause + 1] = sum - carry * LIMB;
}

/**
 * Returns a function that counts the visits in a group whose pause before a certain step is in the
 * histogram bucket `bucket`. `pause` is the index of the pause, which is 0 before the second step.
 */
export function bucketCounts(
  { few, histograms, count, sums: { length } }: VisitGroup,
): (pause: number, bucket: number) => number {
  return (pause, bucket) => {
    if (histograms !== undefined) return histograms[pause * PAUSE_BUCKETS + bucket];
    let found = 0;
    for (let visit = 0; visit < count; visit++) {
      if (few![visit * length + pause] === bucket) found++;
    }
    return found;
  };
}

function compare(a: Uint32Array, b: Uint32Array): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}
