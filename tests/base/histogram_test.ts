import { assert, assertEquals, assertThrows } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type JsHistogram,
} from "hdr-histogram-js";
import { deflateSync } from "node:zlib";
import {
  addBuckets,
  COARSE_BUCKETS,
  coarseBucket,
  coarsePercentile,
  coarseValue,
  compactBuckets,
  decodeBuckets,
  encodeBuckets,
  Histogram,
  mergeHistograms,
} from "../../src/base/histogram.ts";
import {
  decodeHistogram,
  encodeHistogram,
  packHistogram,
  unpackHistogram,
} from "../../src/base/histogram_codec.ts";

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

Deno.test("hdr-histogram-js decodes the output of encodeHistogram, with the same percentiles", () => {
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
    COSTLY,
  );
});

Deno.test("decodeHistogram decodes the output of hdr-histogram-js, with the same statistics", () => {
  fc.assert(
    fc.property(values, (list) => {
      const library = build({ autoResize: true, numberOfSignificantValueDigits: 3 }) as JsHistogram;
      for (const value of list) library.recordValue(value);
      const encoded = encodeIntoCompressedBase64(library);
      const decoded = decodeHistogram(encoded);
      const same = decodeFromCompressedBase64(encoded) as JsHistogram;
      assertEquals(decoded.data().counts, histogramOf(list).data().counts);
      assertEquals(decoded.count, list.length);
      assertEquals(decoded.min, list.includes(0) ? 0 : same.minNonZeroValue);
      assertEquals(decoded.max, same.maxValue);
      assert(Math.abs(decoded.mean - same.mean) <= same.mean * 1e-12);
    }),
    COSTLY,
  );
});

Deno.test("unpackHistogram rejects bytes that are not a histogram", () => {
  const valid = packHistogram(histogramOf([1, 5_000, 5_000]));
  const changed = (at: number, ...bytes: number[]) => {
    const copy = valid.slice();
    copy.set(bytes, at);
    return copy;
  };
  const payload = (...bytes: number[]) => {
    const header = valid.slice(0, 40);
    new DataView(header.buffer).setUint32(4, bytes.length);
    return new Uint8Array([...header, ...bytes]);
  };
  const reject = (bytes: Uint8Array, message: string) =>
    assertThrows(() => unpackHistogram(bytes), Error, message);
  reject(valid.subarray(0, 39), "not in the HdrHistogram V2 format");
  reject(changed(0, 0), "not in the HdrHistogram V2 format");
  reject(changed(12, 0, 0, 0, 2), "3 significant digits");
  reject(changed(23, 2), "3 significant digits");
  reject(changed(4, 0xff), "cut off");
  reject(payload(2, 0x80), "cut off");
  reject(payload(...Array<number>(9).fill(0xfe)), "too large");
  reject(payload(...Array<number>(9).fill(0xff), 2), "too many counts");
  reject(new Uint8Array([...payload(...new Uint8Array(60_000))]), "too many counts");
  assertEquals(unpackHistogram(payload(2, 0, 4)).counts, new Uint32Array([1, 0, 2]));
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
    COSTLY,
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

const samples = fc.array(
  fc.oneof(fc.nat(5_000), fc.double({ min: 0, max: 2 ** 53 - 1, noNaN: true })),
  { maxLength: 50 },
);

function record(into: Histogram, list: readonly number[]): Histogram {
  for (const value of list) into.record(value);
  return into;
}

Deno.test("a histogram rebuilt from the encoded changes of another histogram equals that histogram", () => {
  fc.assert(fc.property(fc.array(samples, { maxLength: 5 }), (rounds) => {
    const source = new Histogram();
    const copy = new Histogram();
    let before: Uint32Array | undefined;
    let sum = 0;
    for (const round of rounds) {
      const data = record(source, round).data();
      const decoded = decodeBuckets(encodeBuckets(data, before));
      copy.addBuckets({ ...decoded, sum: data.sum - sum, min: data.min, max: data.max });
      before = data.counts.slice();
      sum = data.sum;
    }
    assertEquals([...copy.buckets()], [...source.buckets()]);
    assertEquals([copy.count, copy.min, copy.max], [source.count, source.min, source.max]);
  }));
});

Deno.test("decodeBuckets decodes any text to valid buckets or rejects it", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
    let decoded;
    try {
      decoded = decodeBuckets(bytes.toBase64());
    } catch (error) {
      assertEquals((error as Error).message.startsWith("the histogram"), true);
      return;
    }
    new Histogram().addBuckets({ ...decoded, sum: 0, min: 0, max: 0 });
    assertEquals(decoded.buckets, decoded.buckets.toSorted((a, b) => a - b));
    assertEquals(decoded.counts.every((count) => count > 0 && count < 2 ** 32), true);
  }));
});

Deno.test("decodeBuckets rejects text that is too long or not base64", () => {
  assertThrows(() => decodeBuckets("A".repeat(2_000_000)), Error, "too large");
  assertThrows(() => decodeBuckets("%"));
});

Deno.test("the middle of a coarse bucket is within 3.1% of each of its values", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 0x7fffffff }), (value) => {
    const middle = coarseValue(coarseBucket(value));
    assert(Math.abs(middle - value) <= 0.03125 * value, `${value}: ${middle}`);
    assertEquals(coarseBucket(middle), coarseBucket(value));
  }));
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
