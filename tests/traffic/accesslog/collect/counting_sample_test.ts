import { assert, assertAlmostEquals, assertEquals, assertLess } from "@std/assert";
import { random } from "../../../../src/base/random.ts";
import { CountingSample } from "../../../../src/traffic/accesslog/collect/counting_sample.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function counts(sample: CountingSample): Map<string, number> {
  return new Map(
    [...sample.entries()].map(({ bytes, count }) => [decoder.decode(bytes.slice()), count]),
  );
}

Deno.test("CountingSample counts exactly if there are no more distinct strings than its capacity", () => {
  const sample = new CountingSample(1_000);
  const expected = new Map<string, number>();
  const { int } = random(7);
  for (let i = 0; i < 20_000; i++) {
    const text = String(int(0, 999));
    sample.add(encoder.encode(text));
    expected.set(text, (expected.get(text) ?? 0) + 1);
  }
  assert(sample.isExact);
  assertEquals(counts(sample), expected);
});

Deno.test("CountingSample estimates counts without bias if there are more distinct strings than its capacity", () => {
  const { int, next } = random(11);
  const sample = new CountingSample(2_000);
  const length = 200_000;
  let frequent = 0;
  for (let i = 0; i < length; i++) {
    const isFrequent = next() < 0.3;
    if (isFrequent) frequent++;
    sample.add(encoder.encode(isFrequent ? `frequent ${int(0, 9)}` : `rare ${int(0, 1e9)}`));
  }
  assert(!sample.isExact);
  assert(sample.size <= 2_000);
  const found = counts(sample);
  const kept = [...found].filter(([text]) => text.startsWith("frequent"));
  assertEquals(kept.length, 10);
  const sum = kept.reduce((all, [, count]) => all + count, 0);
  assertAlmostEquals(sum, frequent, frequent * 0.05);
  const all = [...found.values()].reduce((total, count) => total + count, 0);
  assertLess(Math.abs(all - length), length * 0.1);
});

Deno.test("CountingSample produces the same sample for the same strings in the same order", () => {
  const make = () => {
    const sample = new CountingSample(50);
    for (let i = 0; i < 5_000; i++) sample.add(encoder.encode(String((i * 7919) % 997)));
    return counts(sample);
  };
  assertEquals(make(), make());
});
