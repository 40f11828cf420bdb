import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { random } from "../../src/base/random.ts";
import {
  chanceDistance,
  distanceFrom,
  toProportions,
} from "../../src/verify/log/compare_with_log.ts";

const WEIGHTS = [500, 300, 120, 60, 15, 4, 1];

/** Draws `n` categories at random by weight, as a plan does, and counts them. */
function drawn(weights: readonly number[], n: number, seed: number): number[] {
  const draw = random(seed);
  const counts = weights.map(() => 0);
  for (let i = 0; i < n; i++) {
    let left = draw.next() * weights.reduce((a, b) => a + b);
    counts[weights.findIndex((weight) => (left -= weight) < 0)]++;
  }
  return counts;
}

Deno.test("distanceFrom returns the fraction of counts that would have to change category to match the weights", () => {
  assertEquals(distanceFrom([1, 1], [10, 10]).share, 0);
  assertEquals(distanceFrom([1, 0], [0, 10]).share, 1);
  assertAlmostEquals(distanceFrom([3, 1], [50, 50]).share, 0.25);
  assertEquals(toProportions([0, 0]), [0, 0]);
});

Deno.test("distanceFrom sets `beyondChance` for about 0.1% of random samples", () => {
  let beyond = 0;
  for (let seed = 0; seed < 1_000; seed++) {
    if (distanceFrom(WEIGHTS, drawn(WEIGHTS, 500, seed)).beyondChance) beyond++;
  }
  assert(beyond <= 6, `${beyond}`);
});

Deno.test("distanceFrom sets `beyondChance` for a category with twice its expected frequency if the sample is large enough", () => {
  const doubled = WEIGHTS.with(2, 240);
  for (let seed = 0; seed < 200; seed++) {
    assert(distanceFrom(WEIGHTS, drawn(doubled, 2_000, seed)).beyondChance, `seed ${seed}`);
  }
});

Deno.test("distanceFrom sets `beyondChance` for a count in a category of weight 0", () => {
  assert(distanceFrom([10, 0], [10, 1]).beyondChance);
  assert(!distanceFrom([10], [7]).beyondChance);
});

Deno.test("chanceDistance is the mean distance of random samples", () => {
  const tail = [...WEIGHTS, ...Array.from({ length: 300 }, () => 1)];
  for (const [weights, n] of [[WEIGHTS, 1_000], [tail, 400]] as const) {
    const found = Array.from(
      { length: 400 },
      (_, i) => distanceFrom(weights, drawn(weights, n, i)).share,
    );
    const mean = found.reduce((a, b) => a + b) / found.length;
    const expected = chanceDistance(weights, n);
    assert(Math.abs(expected / mean - 1) < 0.1, `${expected} and ${mean}`);
  }
});
