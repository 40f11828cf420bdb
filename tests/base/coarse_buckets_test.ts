import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  addBuckets,
  COARSE_BUCKETS,
  coarseBucket,
  coarsePercentile,
  coarseValue,
  compactBuckets,
} from "../../src/base/histogram_codec.ts";

Deno.test("the middle of a coarse bucket is within 3.1% of each of its values", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 0x7fffffff }), (value) => {
    const middle = coarseValue(coarseBucket(value));
    assert(Math.abs(middle - value) <= 0.03125 * value, `${value}: ${middle}`);
    assertEquals(coarseBucket(middle), coarseBucket(value));
  }));
});

Deno.test("coarse buckets are in the order of the values and have no gaps", () => {
  const edges = Array.from({ length: COARSE_BUCKETS }, (_, i) => coarseValue(i));
  assertEquals(edges.map(coarseBucket), edges.map((_, i) => i));
  assertEquals([coarseBucket(0.9), coarseBucket(2 ** 40), coarseBucket(Infinity)], [0, 447, 447]);
});

Deno.test("merged coarse buckets have the same percentiles as all values", () => {
  const counts = (values: readonly number[]) => {
    const all = new Uint32Array(COARSE_BUCKETS);
    for (const value of values) all[coarseBucket(value)]++;
    return compactBuckets(all);
  };
  const values = fc.array(fc.nat(5e6), { minLength: 1, maxLength: 200 });
  fc.assert(fc.property(values, values, fc.integer({ min: 0, max: 100 }), (a, b, percent) => {
    const sorted = [...a, ...b].sort((x, y) => x - y);
    const rank = Math.max(1, Math.ceil(percent / 100 * sorted.length - 1e-9));
    const merged = addBuckets([counts(a), counts(b)]);
    assertEquals(merged, counts(sorted));
    const expected = coarseValue(coarseBucket(sorted[rank - 1]));
    assertEquals(coarsePercentile(merged, percent), expected);
  }));
  assertEquals(coarsePercentile(new Uint32Array(), 95), 0);
});
