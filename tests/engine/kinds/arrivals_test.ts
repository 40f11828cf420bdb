import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Arrivals, type RateStage, wholeCount } from "../../../src/engine/kinds/arrivals.ts";

const stage = fc.record({
  durationMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100_000 })),
  target: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })),
});

/**
 * Generates consecutive stages. Rates are in iterations per second. Each stage starts at the final
 * rate of the previous stage.
 */
const curves = fc.tuple(
  fc.integer({ min: 0, max: 500 }),
  fc.array(stage, { minLength: 1, maxLength: 6 }),
)
  .map(([start, list]) => {
    let from = start;
    return list.map(({ durationMs, target }) => {
      const piece = { durationMs, from, to: target };
      from = target;
      return piece;
    });
  });

/**
 * Returns the exact area under the rate curve from 0 to `micros` microseconds, multiplied by
 * 2 · `SCALE`. The area is in iterations per second times microseconds.
 */
function exactArea(stages: readonly RateStage[], micros: bigint): bigint {
  let area = 0n;
  let left = micros;
  for (const { durationMs, from, to } of stages) {
    const whole = BigInt(durationMs) * 1_000n;
    if (whole === 0n) continue;
    const passed = left < whole ? left : whole;
    // Twice the area is passed · (2 · from + (to − from) · passed / whole).
    area += passed * (2n * BigInt(from) * whole + BigInt(to - from) * passed) * SCALE / whole;
    left -= passed;
    if (left === 0n) break;
  }
  return area;
}

const SCALE = 10n ** 12n;

/** Returns the first microsecond at which iteration `n` is due, by exact bisection. */
function exactDue(stages: readonly RateStage[], n: number): bigint {
  const target = BigInt(n) * 2n * 1_000n * 1_000n * SCALE;
  let low = 0n;
  let high = BigInt(stages.reduce((sum, { durationMs }) => sum + durationMs, 0)) * 1_000n;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (exactArea(stages, middle) >= target) high = middle;
    else low = middle + 1n;
  }
  return low;
}

function perMs(stages: readonly RateStage[]): RateStage[] {
  return stages.map(({ durationMs, from, to }) => ({
    durationMs,
    from: from / 1_000,
    to: to / 1_000,
  }));
}

Deno.test("`dueAt` agrees with an exact reference implementation", () => {
  fc.assert(
    fc.property(curves, fc.double({ min: 0, max: 1, noNaN: true }), (stages, part) => {
      const arrivals = new Arrivals(perMs(stages));
      if (arrivals.count < 2) return;
      const n = 1 + Math.floor(part * (arrivals.count - 1.000001));
      const due = arrivals.dueAt(n);
      const exact = Number(exactDue(stages, n)) / 1_000;
      // While the rate is 0, the area is constant, so rounding may select either end of that
      // period.
      const flat = exactArea(stages, BigInt(Math.floor(Math.min(due, exact) * 1_000))) -
        exactArea(stages, BigInt(Math.ceil(Math.max(due, exact) * 1_000)));
      const slack = Number(-flat / SCALE) / 2e6;
      assert(Math.abs(due - exact) < 0.01 || slack < 1e-6, `${n}: ${due} instead of ${exact}`);
    }),
  );
});

Deno.test("`count` is the area under the rate curve", () => {
  fc.assert(fc.property(curves, (stages) => {
    const twice = stages.reduce(
      (sum, { durationMs, from, to }) => sum + durationMs * (from + to),
      0,
    );
    assertEquals(new Arrivals(perMs(stages)).count, Math.ceil(twice / 2_000 - 1e-9));
  }));
});

Deno.test("iterations are due in order and within the schedule", () => {
  fc.assert(
    fc.property(curves, (stages) => {
      const arrivals = new Arrivals(perMs(stages));
      const count = Math.min(arrivals.count, 2_000);
      let last = 0;
      for (let n = 0; n < count; n++) {
        const due = arrivals.dueAt(n);
        assert(due >= last && due <= arrivals.durationMs);
        assert(Math.abs(wholeCount(arrivals.areaUntil(due + 1e-6)) - (n + 1)) <= 1);
        last = due;
      }
      assertEquals(wholeCount(arrivals.areaUntil(arrivals.durationMs + 1)), arrivals.count);
    }),
  );
});

Deno.test("the area excludes an iteration that is due at the given time", () => {
  const arrivals = new Arrivals([{ durationMs: 3_000, from: 0.03, to: 0.03 }]);
  assertEquals(
    [0, 1, 999.9, 1_000, 1_000.1, 2_000, 3_000].map((time) => wholeCount(arrivals.areaUntil(time))),
    [0, 1, 30, 30, 31, 60, 90],
  );
});

Deno.test("a constant rate does not drift over a million iterations", () => {
  const arrivals = new Arrivals([{ durationMs: 3_600_000, from: 0.3, to: 0.3 }]);
  assertEquals(arrivals.count, 1_080_000);
  assertAlmostEquals(arrivals.dueAt(1_000_000), 1_000_000 / 0.3, 1e-6);
  assertAlmostEquals(arrivals.dueAt(999), 999 / 0.3, 1e-9);
});
