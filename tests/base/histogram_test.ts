import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { deflateSync } from "node:zlib";
import { build, decodeFromCompressedBase64 } from "hdr-histogram-js";
import { Histogram, mergeHistograms } from "../../src/base/histogram.ts";
import { decodeHistogram, encodeHistogram } from "../../src/base/histogram_encoding.ts";

const values = fc.array(
  fc.oneof(fc.nat(3_000), fc.nat(2_000_000_000), fc.integer({ min: 0, max: 2 ** 40 })),
  { minLength: 1, maxLength: 200 },
);
const PERCENTS = [0, 0.1, 25, 50, 90, 95, 99, 99.9, 100];

function of(list: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of list) histogram.record(value);
  return histogram;
}

Deno.test("percentiles are those of a sorted list, to 3 digits", () => {
  fc.assert(fc.property(values, (list) => {
    const sorted = list.toSorted((a, b) => a - b);
    const histogram = of(list);
    for (const percent of PERCENTS) {
      const rank = Math.max(1, Math.ceil(percent / 100 * list.length - 1e-9));
      const exact = sorted[rank - 1];
      const found = histogram.percentile(percent);
      assert(Math.abs(found - exact) <= exact / 1_000, `p${percent}: ${found}, not ${exact}`);
    }
  }));
});

Deno.test("count, sum, least and most are exact", () => {
  fc.assert(fc.property(values, (list) => {
    const histogram = of(list);
    assertEquals(histogram.count, list.length);
    assertEquals(histogram.sum, list.reduce((a, b) => a + b, 0));
    assertEquals([histogram.min, histogram.max], [Math.min(...list), Math.max(...list)]);
  }));
});

Deno.test("it counts in the same slots as the library, and the library reads its encoding", () => {
  fc.assert(
    fc.property(values, (list) => {
      const library = build({
        autoResize: true,
        numberOfSignificantValueDigits: 3,
        highestTrackableValue: 2,
      });
      for (const value of list) library.recordValue(value);
      const decoded = decodeFromCompressedBase64(encodeHistogram(of(list)));
      for (const percent of PERCENTS) {
        assertEquals(decoded.getValueAtPercentile(percent), library.getValueAtPercentile(percent));
      }
      assertEquals(decoded.totalCount, list.length);
    }),
    { numRuns: 50 },
  );
});

Deno.test("what is decoded is what was encoded", () => {
  fc.assert(
    fc.property(values, (list) => {
      const histogram = of(list);
      const { sum, min, max } = histogram;
      const back = decodeHistogram(encodeHistogram(histogram), { sum, min, max });
      assertEquals([back.count, back.sum, back.min, back.max], [histogram.count, sum, min, max]);
      for (const percent of PERCENTS) {
        assertEquals(back.percentile(percent), histogram.percentile(percent));
      }
    }),
    { numRuns: 50 },
  );
  assertEquals(encodeHistogram(new Histogram()), "");
  assertEquals(decodeHistogram("").count, 0);
  assertThrows(() => decodeHistogram("AAAA"));
  assertThrows(() => decodeHistogram("no base64!"));
  const bomb = deflateSync(new Uint8Array(50_000_000));
  const cookie = Uint8Array.fromBase64(encodeHistogram(of([1]))).subarray(0, 8);
  assertThrows(
    () => decodeHistogram(new Uint8Array([...cookie, ...bomb]).toBase64()),
    Error,
    "longer than any can be",
  );
});

Deno.test("added together they are the histogram of everything", () => {
  fc.assert(fc.property(values, values, (a, b) => {
    assertEquals(mergeHistograms(of(a).data(), of(b).data()).data(), of([...a, ...b]).data());
  }));
});

Deno.test("what came since a copy is what was recorded since", () => {
  fc.assert(fc.property(values, values, (before, after) => {
    const histogram = of(before);
    const copy = histogram.copy();
    for (const value of after) histogram.record(value);
    const since = histogram.since(copy);
    assertEquals(since.count, after.length);
    assertEquals(since.sum, of(after).sum);
    const [found, exact] = [since.percentile(50), of(after).percentile(50)];
    assert(Math.abs(found - exact) <= exact / 1_000);
  }));
});

Deno.test("without values everything is 0; below 0 counts as 0", () => {
  const empty = new Histogram();
  assertEquals([empty.count, empty.min, empty.max, empty.mean, empty.percentile(99)], [
    0,
    0,
    0,
    0,
    0,
  ]);
  const negative = of([-5, NaN, 0.9]);
  assertEquals([negative.count, negative.sum, negative.max], [3, 0, 0]);
});
