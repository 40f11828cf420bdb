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

function histogramOf(list: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of list) histogram.record(value);
  return histogram;
}

Deno.test("Histogram.percentile equals the percentile of a sorted list to 3 significant digits", () => {
  fc.assert(fc.property(values, (list) => {
    const sorted = list.toSorted((a, b) => a - b);
    const histogram = histogramOf(list);
    for (const percent of PERCENTS) {
      const rank = Math.max(1, Math.ceil(percent / 100 * list.length - 1e-9));
      const exact = sorted[rank - 1];
      const found = histogram.percentile(percent);
      assert(Math.abs(found - exact) <= exact / 1_000, `p${percent}: ${found}, not ${exact}`);
    }
  }));
});

Deno.test("Histogram returns the exact count, sum, minimum and maximum", () => {
  fc.assert(fc.property(values, (list) => {
    const histogram = histogramOf(list);
    assertEquals(histogram.count, list.length);
    assertEquals(histogram.sum, list.reduce((a, b) => a + b, 0));
    assertEquals([histogram.min, histogram.max], [Math.min(...list), Math.max(...list)]);
  }));
});

Deno.test("Histogram has the same buckets as hdr-histogram-js, which can decode its encoding", () => {
  fc.assert(
    fc.property(values, (list) => {
      const library = build({
        autoResize: true,
        numberOfSignificantValueDigits: 3,
        highestTrackableValue: 2,
      });
      for (const value of list) library.recordValue(value);
      const decoded = decodeFromCompressedBase64(encodeHistogram(histogramOf(list)));
      for (const percent of PERCENTS) {
        assertEquals(decoded.getValueAtPercentile(percent), library.getValueAtPercentile(percent));
      }
      assertEquals(decoded.totalCount, list.length);
    }),
    { numRuns: 50 },
  );
});

Deno.test("decodeHistogram decodes the output of encodeHistogram and rejects other text", () => {
  fc.assert(
    fc.property(values, (list) => {
      const histogram = histogramOf(list);
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
  const cookie = Uint8Array.fromBase64(encodeHistogram(histogramOf([1]))).subarray(0, 8);
  assertThrows(
    () => decodeHistogram(new Uint8Array([...cookie, ...bomb]).toBase64()),
    Error,
    "too large",
  );
});

Deno.test("mergeHistograms returns a histogram with the values of all given histograms", () => {
  fc.assert(fc.property(values, values, (a, b) => {
    assertEquals(
      mergeHistograms(histogramOf(a).data(), histogramOf(b).data()).data(),
      histogramOf([...a, ...b]).data(),
    );
  }));
});

Deno.test("Histogram.since returns a histogram of the values recorded after the given copy", () => {
  fc.assert(fc.property(values, values, (before, after) => {
    const histogram = histogramOf(before);
    const copy = histogram.copy();
    for (const value of after) histogram.record(value);
    const since = histogram.since(copy);
    assertEquals(since.count, after.length);
    assertEquals(since.sum, histogramOf(after).sum);
    const [found, exact] = [since.percentile(50), histogramOf(after).percentile(50)];
    assert(Math.abs(found - exact) <= exact / 1_000);
  }));
});

Deno.test("Histogram returns 0 if it has no values and records negative values as 0", () => {
  const empty = new Histogram();
  assertEquals([empty.count, empty.min, empty.max, empty.mean, empty.percentile(99)], [
    0,
    0,
    0,
    0,
    0,
  ]);
  const negative = histogramOf([-5, NaN, 0.9]);
  assertEquals([negative.count, negative.sum, negative.max], [3, 0, 0]);
});
