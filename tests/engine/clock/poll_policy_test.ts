import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PollPolicy } from "../../../src/engine/vu/clock.ts";

Deno.test("poll policy: polling stops for 10 s after three stalls within a second, and for twice as long the next time", () => {
  const policy = new PollPolicy();
  const stallThrice = (at: number) => {
    for (const start of [at, at + 100, at + 200]) policy.turn(start, start + 50);
    return at + 250;
  };
  assertEquals(policy.horizonMs(0), 1);
  let end = stallThrice(0);
  assertEquals([end, end + 9_999, end + 10_000].map((now) => policy.horizonMs(now)), [0, 0, 1]);
  end = stallThrice(60_000);
  assertEquals([end, end + 19_999, end + 20_000].map((now) => policy.horizonMs(now)), [0, 0, 1]);
});

Deno.test("poll policy: polling continues if stalls are shorter than 10 ms or at least a second apart", () => {
  const turns = fc.array(
    fc.oneof(
      fc.record({ gap: fc.constant(0), length: fc.double({ min: 0, max: 9, noNaN: true }) }),
      fc.record({
        gap: fc.integer({ min: 1_000, max: 5_000 }),
        length: fc.integer({ min: 10, max: 500 }),
      }),
    ),
    { maxLength: 100 },
  );
  fc.assert(fc.property(turns, (list) => {
    const policy = new PollPolicy();
    let now = 0;
    for (const { gap, length } of list) {
      now += gap;
      policy.turn(now, now += length);
      assertEquals(policy.horizonMs(now), 1);
    }
  }));
});
