import { sum } from "../../base/format.ts";

/** Significance threshold in standard deviations: a one-sided false-positive rate of 0.1%. */
const RARE_SIGMAS = 3.09;
/**
 * Minimum expected count of a category that is tested alone. Smaller categories are combined for
 * the test.
 */
const MIN_EXPECTED = 5;

/** Difference between observed counts and an expected distribution. */
export interface Distance {
  /**
   * Total variation distance: the fraction of the counts, 0 to 1, that would have to be in other
   * categories to match the expected distribution.
   */
  readonly share: number;
  /** Whether the difference is significant: random sampling exceeds it in about 0.1% of samples. */
  readonly beyondChance: boolean;
}

/**
 * Compares observed counts with an expected distribution in a chi-square test. `weights` contains
 * one weight per category. Only the ratios of the weights matter. A count in a category of weight 0
 * is always significant.
 */
export function distanceFrom(weights: readonly number[], counts: readonly number[]): Distance {
  const shares = toProportions(weights);
  const found = toProportions(counts);
  const n = sum(counts);
  const cells = withRest(shares.map((share, i) => [share * n, counts[i]]));
  const statistic = sum(
    cells.map(([expected, observed]) => expected === 0 ? 0 : (observed - expected) ** 2 / expected),
  );
  const impossible = cells.some(([expected, observed]) => expected === 0 && observed > 0);
  return {
    share: sum(shares.map((share, i) => Math.abs(share - found[i]))) / 2,
    beyondChance: impossible || sigmas(statistic, cells.length - 1) > RARE_SIGMAS,
  };
}

/**
 * Returns the expected total variation distance of `n` random samples from the distribution with
 * these weights: the mean deviation of each binomial count, for small counts exactly, otherwise in
 * the normal approximation.
 */
export function chanceDistance(weights: readonly number[], n: number): number {
  const deviation = (share: number) => {
    const expected = n * share;
    // Below 1, the count is 0 with the probability exp(-expected), and rarely above 1.
    return expected < 1
      ? 2 * expected * Math.exp(-expected)
      : Math.sqrt(2 * expected * (1 - share) / Math.PI);
  };
  return n === 0 ? 0 : sum(toProportions(weights).map(deviation)) / n / 2;
}

/** Returns each count divided by the sum of all counts. Returns zeros if the sum is 0. */
export function toProportions(counts: readonly number[]): number[] {
  const whole = sum(counts);
  return counts.map((count) => whole === 0 ? 0 : count / whole);
}

type Cell = readonly [expected: number, observed: number];

/**
 * Prepares categories for a chi-square test: combines those with an expected count below 5, and
 * drops those of weight 0 with an observed count of 0.
 */
function withRest(cells: readonly Cell[]): Cell[] {
  const few = cells.filter(([expected]) => expected > 0 && expected < MIN_EXPECTED);
  const rest: Cell = [
    sum(few.map(([expected]) => expected)),
    sum(few.map(([, observed]) => observed)),
  ];
  const tested = cells.filter(([expected, observed]) =>
    expected >= MIN_EXPECTED || (expected === 0 && observed > 0)
  );
  return few.length > 0 ? [...tested, rest] : tested;
}

/**
 * Converts a chi-square statistic to standard deviations of the normal distribution
 * (Wilson-Hilferty).
 */
function sigmas(statistic: number, freedom: number): number {
  if (freedom < 1) return 0;
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(statistic / freedom) - (1 - spread)) / Math.sqrt(spread);
}
