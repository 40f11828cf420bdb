import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { random } from "../../../src/base/random.ts";
import { judgeDrift } from "../../../src/report/compare/drift.ts";
import { rankTrend, significanceLimit } from "../../../src/report/compare/rank_trend.ts";

const exact = (value: number) => ({ value, low: value, high: value });
const drift = (...values: (number | undefined)[]) =>
  judgeDrift(values.map((value) => value === undefined ? undefined : exact(value)));

Deno.test("rankTrend returns the same probability as a count over all permutations", () => {
  for (
    const values of [[1, 2, 3], [2, 1, 3, 4], [3, 1, 4, 2, 5], [5, 4, 3, 2, 1], [1, 3, 2, 4, 6, 5]]
  ) {
    const s = (order: readonly number[]) => {
      const { rises, falls } = rankTrend(order, order.map((_, i) => i));
      return rises - falls;
    };
    const all = permutations(values);
    const asExtreme = all.filter((order) => s(order) >= Math.abs(s(values))).length;
    assertAlmostEquals(rankTrend(values, values.map((_, i) => i)).p, asExtreme / all.length);
  }
});

function permutations(values: readonly number[]): number[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, i) =>
    permutations(values.filter((_, j) => j !== i)).map((rest) => [value, ...rest])
  );
}

Deno.test("rankTrend does not find a trend in equal values or in a single value", () => {
  assert(rankTrend([7, 7, 7, 7, 7, 7], [0, 1, 2, 3, 4, 5]).p >= 0.5);
  assertEquals(rankTrend([7], [0]), { rises: 0, falls: 0, pairs: 0, p: 1, slope: 0 });
  assertEquals(rankTrend([], []).p, 1);
});

Deno.test("judgeDrift detects a slow drift in which no change between consecutive runs is significant", () => {
  const found = drift(100, 103, 105, 108, 111, 115);
  assertEquals([found.verdict, found.trend.rises, found.trend.pairs], ["worse", 15, 15]);
  assertAlmostEquals(found.from, 100, 1);
  assertAlmostEquals(found.to, 114, 2);
  assertEquals(drift(115, 111, 108, 105, 103, 100).verdict, "better");
});

Deno.test("judgeDrift does not judge fewer than 6 runs", () => {
  assertEquals(drift(100, 200, 300, 400, 500).verdict, "unknown");
  assertEquals(drift(100, undefined, 200, 300, 400, 500).verdict, "unknown");
  assertEquals(drift(100, 200, 300, 400, 500, 600).verdict, "worse");
});

Deno.test("judgeDrift ignores a drift of less than 5%, and one slow run at the end", () => {
  assertEquals(drift(100, 100.5, 101, 101.5, 102, 102.5).verdict, "within noise");
  assertEquals(drift(100, 104, 99, 101, 103, 250).verdict, "within noise");
});

Deno.test("judgeDrift ignores a drift that is smaller than the given minimum", () => {
  const values = [0.05, 0.06, 0.07, 0.08, 0.09, 0.1].map(exact);
  assertEquals(judgeDrift(values).verdict, "worse");
  assertEquals(judgeDrift(values, 0.01, 0.1).verdict, "within noise");
  assertEquals(judgeDrift(values.toReversed(), 0.01, 0.1).verdict, "within noise");
  assertEquals(judgeDrift(values.map(({ value }) => exact(value * 3)), 0.01, 0.1).verdict, "worse");
});

Deno.test("judgeDrift handles runs without a value and runs with a value of 0", () => {
  assertEquals(drift(undefined, 100, 110, undefined, 120, 130, 140, 150).verdict, "worse");
  assertEquals(drift(0, 0, 0, 0, 0, 0).verdict, "within noise");
  assertEquals(drift(0, 0.01, 0.02, 0.03, 0.04, 0.05).verdict, "worse");
  assertEquals(judgeDrift([]).verdict, "unknown");
});

Deno.test("judgeDrift rarely finds a drift in runs that differ only by chance", () => {
  const { next } = random(1);
  let wrong = 0;
  for (let i = 0; i < 1_000; i++) {
    const runs = Array.from({ length: 8 }, () => 100 * (1 + next()));
    if (drift(...runs).verdict !== "within noise") wrong++;
  }
  // 1% for each direction.
  assert(wrong <= 35, `${wrong} of 1,000`);
});

Deno.test("significanceLimit requires stronger evidence if there are many endpoints", () => {
  assertEquals(significanceLimit([0.008], 0.01), 0.008);
  assertEquals(significanceLimit([0.008, ...Array(99).fill(0.5)], 0.01), 0);
  assertEquals(significanceLimit(Array(100).fill(0.008), 0.01), 0.008);
  assertEquals(significanceLimit([], 0.01), 0);
});
