/** Result of the Mann–Kendall test, which detects values that rise or fall from run to run. */
export interface RankTrend {
  /** Number of pairs of runs in which the later value is higher. */
  readonly rises: number;
  /** Number of pairs of runs in which the later value is lower. */
  readonly falls: number;
  readonly pairs: number;
  /**
   * Probability, from 0 to 1, that `rises` and `falls` would differ at least as much, in the same
   * direction, if the order of the runs had no influence.
   */
  readonly p: number;
  /** Median change per run (Theil–Sen), in the unit of the values. */
  readonly slope: number;
}

/**
 * Tests whether values, in the order of the runs, have a trend. The test is one-sided and exact,
 * and makes no assumption about the distribution of the values. `at` contains the run index of
 * each value, because some runs may have no value.
 */
export function rankTrend(values: readonly number[], at: readonly number[]): RankTrend {
  let rises = 0;
  let falls = 0;
  const slopes: number[] = [];
  for (let j = 1; j < values.length; j++) {
    for (let i = 0; i < j; i++) {
      const change = values[j] - values[i];
      if (change > 0) rises++;
      if (change < 0) falls++;
      slopes.push(change / (at[j] - at[i]));
    }
  }
  const pairs = slopes.length;
  // Number of inversions that would give the same difference between `rises` and `falls` without
  // ties, rounded up, so that `p` is not too low.
  const inversions = Math.ceil((pairs - Math.abs(rises - falls)) / 2);
  const p = atMostInversions(values.length, inversions);
  return { rises, falls, pairs, p, slope: median(slopes) };
}

/**
 * Cache of the results of `inversionOdds`, keyed by the number of values. Shared by all endpoints
 * of a comparison.
 */
const KNOWN_ODDS = new Map<number, Float64Array>();

/** Returns the probability that a random order of `n` values has at most `most` inversions. */
function atMostInversions(n: number, most: number): number {
  const known = KNOWN_ODDS.get(n) ?? inversionOdds(n);
  KNOWN_ODDS.set(n, known);
  return Math.min(1, known[Math.min(most, known.length - 1)]);
}

/**
 * Returns the cumulative distribution of the number of inversions in a random order of `n` values.
 * The item at index `k` is the probability of at most `k` inversions.
 */
function inversionOdds(n: number): Float64Array {
  let odds = new Float64Array([1]);
  for (let size = 2; size <= n; size++) {
    const next = new Float64Array(size * (size - 1) / 2 + 1);
    let sum = 0;
    for (let k = 0; k < next.length; k++) {
      sum += odds[k] ?? 0;
      if (k >= size) sum -= odds[k - size] ?? 0;
      next[k] = sum / size;
    }
    odds = next;
  }
  for (let k = 1; k < odds.length; k++) odds[k] += odds[k - 1];
  return odds;
}

/** Returns the median of `numbers`, or 0 for an empty list. */
export function median(numbers: readonly number[]): number {
  if (numbers.length === 0) return 0;
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Returns the largest p-value that counts as significant if several hypotheses are tested at once
 * (Benjamini–Hochberg). The expected share of false trends among the significant ones is then at
 * most `rate`. Returns 0 if no p-value is significant.
 */
export function significanceLimit(ps: readonly number[], rate: number): number {
  const sorted = ps.toSorted((a, b) => a - b);
  return sorted.findLast((p, i) => p <= rate * (i + 1) / sorted.length) ?? 0;
}
