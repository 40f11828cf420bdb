import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { decodeBuckets, encodeBuckets, Histogram } from "../../src/base/histogram.ts";

const values = fc.array(
  fc.oneof(fc.nat(5_000), fc.double({ min: 0, max: 2 ** 53 - 1, noNaN: true })),
  { maxLength: 50 },
);

function record(into: Histogram, list: readonly number[]): Histogram {
  for (const value of list) into.record(value);
  return into;
}

Deno.test("a histogram rebuilt from the encoded changes of another histogram equals that histogram", () => {
  fc.assert(fc.property(fc.array(values, { maxLength: 5 }), (rounds) => {
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
