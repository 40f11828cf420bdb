/** Chance makes as much of a difference once in a thousand times. */
const RARE_SIGMAS = 3.09;
/** The fewest that are expected of a kind that is tested by itself: the others are tested together. */
const FEWEST = 5;

/** How far counts are from those expected. */
export interface Distance {
  /** Total variation: the share, 0 to 1, that would have to go elsewhere. */
  readonly share: number;
  /** It is more than sampling makes, but for one time in a thousand. */
  readonly beyondChance: boolean;
}

/** How far counts are from expected shares (any multiple of them), as a sample drawn from these would be. */
export function distanceFrom(expected: readonly number[], counts: readonly number[]): Distance {
  const shares = toProportions(expected);
  const found = toProportions(counts);
  const n = sum(counts);
  const cells = withRest(shares.map((share, i) => [share * n, counts[i]]));
  const statistic = sum(cells.map(([due, is]) => due === 0 ? 0 : (is - due) ** 2 / due));
  const impossible = cells.some(([due, is]) => due === 0 && is > 0);
  return {
    share: sum(shares.map((share, i) => Math.abs(share - found[i]))) / 2,
    beyondChance: impossible || sigmas(statistic, cells.length - 1) > RARE_SIGMAS,
  };
}

/** Each number's share of their sum; all 0 when that is 0. */
export function toProportions(counts: readonly number[]): number[] {
  const whole = sum(counts);
  return counts.map((count) => whole === 0 ? 0 : count / whole);
}

type Cell = readonly [due: number, is: number];

/** The cells that can be tested, those of which too little is expected as one. */
function withRest(cells: readonly Cell[]): Cell[] {
  const few = cells.filter(([due]) => due > 0 && due < FEWEST);
  const rest: Cell = [sum(few.map(([due]) => due)), sum(few.map(([, is]) => is))];
  const tested = cells.filter(([due, is]) => due >= FEWEST || (due === 0 && is > 0));
  return few.length > 0 ? [...tested, rest] : tested;
}

/** A chi-square statistic in standard deviations of the normal distribution (Wilson and Hilferty). */
function sigmas(statistic: number, freedom: number): number {
  if (freedom < 1) return 0;
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(statistic / freedom) - (1 - spread)) / Math.sqrt(spread);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
