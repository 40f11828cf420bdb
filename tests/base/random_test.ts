import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { random } from "../../src/base/random.ts";

Deno.test("random number generators return the same sequence only if they have the same seeds", () => {
  const draw = (...seeds: number[]) => {
    const stream = random(...seeds);
    return Array.from({ length: 5 }, () => stream.next());
  };
  assertEquals(draw(1, 2), draw(1, 2));
  const streams = [draw(1), draw(2), draw(1, 2), draw(2, 1), draw(1, 2, 0), draw(2 ** 32 + 1)];
  assertEquals(new Set(streams.map(String)).size, streams.length);
});

Deno.test("`next` returns uniformly distributed numbers", () => {
  const stream = random(7);
  const counts = new Array(10).fill(0);
  for (let i = 0; i < 100_000; i++) counts[stream.int(0, 9)]++;
  // χ² with 9 degrees of freedom is below 27.9 in 999 of 1,000 cases.
  assert(counts.reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0) < 27.9);
});

Deno.test("`int` can return both bounds of a range", () => {
  const stream = random(3);
  const seen = new Set(Array.from({ length: 200 }, () => stream.int(-1, 1)));
  assertEquals([...seen].sort(), [-1, 0, 1].sort());
  assertEquals(stream.int(5, 5), 5);
  const wide = Array.from({ length: 1_000 }, () => stream.int(0, Number.MAX_SAFE_INTEGER));
  assert(wide.every(Number.isSafeInteger) && Math.max(...wide) > 2 ** 52);
});

Deno.test("gaussian returns numbers with mean 0 and standard deviation 1", () => {
  const stream = random(11);
  const drawn = Array.from({ length: 50_000 }, () => stream.gaussian());
  const mean = drawn.reduce((a, b) => a + b) / drawn.length;
  const deviation = Math.sqrt(drawn.reduce((sum, x) => sum + (x - mean) ** 2, 0) / drawn.length);
  assert(Math.abs(mean) < 0.02 && Math.abs(deviation - 1) < 0.02);
});

Deno.test("`uuid` returns distinct version 4 UUIDs", () => {
  const stream = random(1);
  const [a, b] = [stream.uuid(), stream.uuid()];
  assertMatch(a, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assertNotEquals(a, b);
});
