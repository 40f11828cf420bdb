/**
 * Reports whether drawn counts differ significantly from the expected shares, according to
 * Pearson's chi-square test at the 0.0001 significance level. Combines cells with fewer than 5
 * expected draws.
 */
export function differs(
  drawn: ReadonlyMap<string, number>,
  shares: ReadonlyMap<string, number>,
): boolean {
  const draws = sum(drawn.values());
  const whole = sum(shares.values());
  if ([...drawn.keys()].some((key) => !shares.has(key))) return true;
  let [statistic, freedom, rareDrawn, rareExpected] = [0, -1, 0, 0];
  const cell = (found: number, expected: number) => {
    statistic += (found - expected) ** 2 / expected;
    freedom++;
  };
  for (const [key, share] of shares) {
    const expected = draws * share / whole;
    const found = drawn.get(key) ?? 0;
    if (expected >= 5) cell(found, expected);
    else [rareDrawn, rareExpected] = [rareDrawn + found, rareExpected + expected];
  }
  if (rareExpected >= 5) cell(rareDrawn, rareExpected);
  if (freedom < 1) return false;
  // Wilson–Hilferty approximation. 3.72 is the 99.99% quantile of the standard normal distribution.
  const tail = 2 / (9 * freedom);
  return statistic > freedom * (1 - tail + 3.72 * Math.sqrt(tail)) ** 3;
}

function sum(values: Iterable<number>): number {
  let all = 0;
  for (const value of values) all += value;
  return all;
}
