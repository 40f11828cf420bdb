import { assert, assertEquals } from "@std/assert";
import { Histogram } from "../../../src/base/histogram.ts";
import { random } from "../../../src/base/random.ts";
import {
  changeText,
  classifyChange,
  classifyTimeChange,
  percentileEstimate,
  shareEstimate,
} from "../../../src/report/compare/change.ts";

function sample(count: number, scale: number, seed: number): Histogram {
  const { next } = random(seed);
  const histogram = new Histogram();
  for (let i = 0; i < count; i++) histogram.record(scale * (1 + 4 * next() ** 3));
  return histogram;
}

Deno.test("classifyChange rarely finds a change between two samples of the same distribution", () => {
  const verdicts = Array.from({ length: 200 }, (_, seed) =>
    classifyChange(
      percentileEstimate(sample(300, 1_000, seed), 95),
      percentileEstimate(sample(300, 1_000, 1_000 + seed), 95),
    ));
  const wrong = verdicts.filter((verdict) => verdict !== "within noise").length;
  assert(wrong <= 2, `${wrong} of 200`);
});

Deno.test("classifyChange classifies a significant change as worse or better", () => {
  const [fast, slow] = [sample(5_000, 1_000, 1), sample(5_000, 1_200, 2)]
    .map((histogram) => percentileEstimate(histogram, 95));
  assertEquals(classifyChange(fast, slow), "worse");
  assertEquals(classifyChange(slow, fast), "better");
});

Deno.test("classifyChange ignores changes of less than 5%", () => {
  const exact = (value: number) => ({ value, low: value, high: value });
  assertEquals(classifyChange(exact(100), exact(104)), "within noise");
  assertEquals(classifyChange(exact(100), exact(106)), "worse");
  const open = { value: 90, low: 80, high: Infinity };
  assertEquals(classifyChange(exact(70), open), "not enough data");
  assertEquals(classifyChange(exact(90), open), "not enough data");
});

Deno.test("classifyChange does not report a change in a high percentile if there are few samples", () => {
  const few = percentileEstimate(sample(20, 1_000, 1), 99);
  assertEquals(few.high, Infinity);
  assertEquals(
    classifyChange(few, percentileEstimate(sample(20, 9_000, 2), 99)),
    "not enough data",
  );
  assertEquals(percentileEstimate(new Histogram(), 95).value, 0);
});

Deno.test("shareEstimate returns the Wilson score interval", () => {
  const { low, high } = shareEstimate(10, 100);
  assertEquals([low.toFixed(3), high.toFixed(3)], ["0.046", "0.204"]);
  assertEquals(shareEstimate(0, 0), { value: 0, low: 0, high: Infinity });
  assertEquals(classifyChange(shareEstimate(0, 0), shareEstimate(5, 9)), "not enough data");
  assertEquals(classifyChange(shareEstimate(0, 5_000), shareEstimate(60, 5_000)), "worse");
});

Deno.test("classifyTimeChange ignores changes of less than 0.1 ms, even if they are precise", () => {
  const exact = (value: number) => ({ value, low: value, high: value });
  assertEquals(classifyTimeChange(exact(0.042), exact(0.046)), "within noise");
  assertEquals(classifyTimeChange(exact(0.14), exact(0.041)), "within noise");
  assertEquals(classifyTimeChange(exact(0.042), exact(0.143)), "worse");
  assertEquals(classifyTimeChange(exact(0.143), exact(0.042)), "better");
  assertEquals(classifyTimeChange(exact(10), exact(10.4)), "within noise");
});

/** Returns P(X = k) for each k, where X has a binomial distribution. Computed with logarithms. */
function binomial(n: number, p: number): number[] {
  let log = n * Math.log(1 - p);
  return Array.from({ length: n + 1 }, (_, k) => {
    if (k > 0) log += Math.log((n - k + 1) / k * p / (1 - p));
    return Math.exp(log);
  });
}

Deno.test("percentileEstimate returns the shortest 99% confidence interval with equal tails", () => {
  const sum = (odds: readonly number[]) => odds.reduce((total, one) => total + one, 0);
  for (const percent of [50, 95, 99]) {
    for (const n of [1, 7, 8, 26, 103, 104, 142, 527, 528, 1_000]) {
      const odds = binomial(n, percent / 100);
      const histogram = new Histogram();
      for (let value = 1; value <= n; value++) histogram.record(value);
      const { low, high } = percentileEstimate(histogram, percent);
      const name = `p${percent} of ${n}`;
      // The values are their own ranks. Fewer than `low` values below the percentile are unlikely.
      assert(sum(odds.slice(0, low)) <= 0.005, name);
      assert(sum(odds.slice(0, low + 1)) > 0.005, name);
      assertEquals(high === Infinity, (percent / 100) ** n > 0.005, name);
      if (high === Infinity) continue;
      assert(sum(odds.slice(high)) <= 0.005, name);
      assert(sum(odds.slice(high - 1)) > 0.005, name);
    }
  }
});

Deno.test("percentileEstimate approximates the 99% confidence interval for more than 1,000 values", () => {
  const histogram = new Histogram();
  for (let value = 1; value <= 1_500; value++) histogram.record(value);
  const odds = binomial(1_500, 0.95);
  const { low, high } = percentileEstimate(histogram, 95);
  const tail = odds.slice(0, low).concat(odds.slice(high)).reduce((total, one) => total + one, 0);
  assert(tail > 0.005 && tail < 0.015, `${tail}`);
});

Deno.test("changeText formats a change as a percentage, or as a factor if it is large", () => {
  const cases: readonly [change: number | undefined, text: string][] = [
    [undefined, "–"],
    [0, "+0.00%"],
    [0.12, "+12.00%"],
    [-0.035, "−3.50%"],
    [8.99, "+899.00%"],
    [9, "10 times"],
    [76.0443, "77 times"],
    [123_455, "120,000 times"],
  ];
  for (const [change, text] of cases) assertEquals(changeText(change), text);
});
