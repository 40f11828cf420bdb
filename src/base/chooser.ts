import type { Random } from "./random.ts";

/** Draws a random index from a fixed distribution. */
export type Choose = (random: Random) => number;

/**
 * Returns a function that draws an index in constant time (Vose's alias method). The probability of
 * index i is `weights[i]` divided by the sum of all weights. Each weight must be at least 0, and at
 * least one weight must be greater than 0.
 */
export function chooser(weights: readonly number[]): Choose {
  const n = weights.length;
  const sum = weights.reduce((a, b) => a + b, 0);
  const scaled = weights.map((weight) => weight / sum * n);
  const chance = new Float64Array(n).fill(1);
  const alias = Uint32Array.from({ length: n }, (_, i) => i);
  const small = [...scaled.keys()].filter((i) => scaled[i] < 1);
  const large = [...scaled.keys()].filter((i) => scaled[i] >= 1);
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop()!, large[large.length - 1]];
    chance[less] = scaled[less];
    alias[less] = more;
    scaled[more] -= 1 - scaled[less];
    if (scaled[more] < 1) small.push(large.pop()!);
  }
  // Because of rounding errors, `small` can still contain indexes. They keep the chance 1, except
  // those with weight 0, which must never be drawn.
  for (const i of small) {
    if (weights[i] === 0) [chance[i], alias[i]] = [0, largest(weights)];
  }
  return (random) => {
    const i = random.int(0, n - 1);
    return random.next() < chance[i] ? i : alias[i];
  };
}

function largest(weights: readonly number[]): number {
  return weights.reduce((best, weight, i) => weight > weights[best] ? i : best, 0);
}
