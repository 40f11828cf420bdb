import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  areaUntil,
  clipRate,
  mergeStages,
} from "../../../../src/convert/accesslog/rate/rate_curve.ts";

const HIGHEST = 100;
/** Generates curves whose stages last whole seconds and have a mean rate of at most `HIGHEST`. */
const curves = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 2 * HIGHEST })),
  { minLength: 1, maxLength: 8 },
).chain((stages) =>
  fc.integer({ min: 0, max: 2 * HIGHEST }).map((start) => {
    const curve = { times: [0], rates: [start] };
    for (const [seconds, rate] of stages) {
      curve.times.push(curve.times.at(-1)! + seconds);
      curve.rates.push(Math.min(rate, 2 * HIGHEST - curve.rates.at(-1)!));
    }
    return curve;
  })
);

Deno.test("clipRate limits the rate and keeps the number of requests of each stage", () => {
  fc.assert(
    fc.property(curves, (curve) => {
      const clipped = clipRate(curve, HIGHEST);
      assert(clipped.rates.every((rate) => rate >= 0 && rate <= HIGHEST));
      for (const time of curve.times) {
        const exact = areaUntil(curve, time);
        const area = areaUntil(clipped, time);
        // At most a millisecond of each stage is lost.
        assert(area <= exact + 1e-6 && area >= exact - 8 * HIGHEST / 1_000, `${area}, ${exact}`);
      }
    }),
  );
});

Deno.test("clipRate replaces a ramp from twice the limit to 0 with a flat stage and a sudden drop", () => {
  const curve = { times: [0, 1, 10], rates: [200, 0, 0] };
  assertEquals(clipRate(curve, 100), { times: [0, 1, 1, 10], rates: [100, 100, 0, 0] });
});

Deno.test("mergeStages removes stages of 0 seconds at the start, at the end and after another such stage", () => {
  assertEquals(
    mergeStages({ times: [0, 0, 5, 5, 5, 9, 9], rates: [3, 1, 2, 8, 4, 6, 7] }),
    { times: [0, 5, 5, 9], rates: [1, 2, 4, 6] },
  );
});

Deno.test("mergeStages merges consecutive stages of the same rate", () => {
  assertEquals(
    mergeStages({ times: [0, 2, 4, 4, 6, 8], rates: [5, 5, 5, 9, 9, 9] }),
    { times: [0, 4, 4, 8], rates: [5, 5, 9, 9] },
  );
});

Deno.test("mergeStages returns a single stage unchanged", () => {
  assertEquals(mergeStages({ times: [0, 1], rates: [7, 7] }), { times: [0, 1], rates: [7, 7] });
});
