import { assertAlmostEquals, assertEquals } from "@std/assert";
import { durationMs } from "../../../src/base/duration.ts";
import { random } from "../../../src/base/random.ts";
import { pauseLike } from "../../../src/convert/accesslog/visits/pause_like.ts";
import type { Step } from "../../../src/plan/kinds/steps/steps.ts";
import type { ThinkTime } from "../../../src/plan/kinds/steps/think_time.ts";
import { VisitTable } from "../../../src/traffic/accesslog/collect/visits/visit_table.ts";

/** Returns the steps that reproduce the given pauses (in milliseconds). */
function stepsOf(pauses: readonly number[]): Step[] {
  const table = new VisitTable();
  for (const pause of pauses) table.add([1, 2], [pause]);
  const [{ count, pauses: [pause] }] = table.sequences();
  return pauseLike(pause, count);
}

/** Draws `draws` pauses from a step in the same way as the engine. Returns them in milliseconds. */
function drawn([step]: Step[], draws: number): number[] {
  const { next } = random(7);
  const drawOne = (pause: ThinkTime): number => {
    if (typeof pause !== "object" || pause.type === "gaussian") throw new Error("unexpected pause");
    if (pause.type === "constant") return durationMs(pause.duration)!;
    const [min, max] = [durationMs(pause.min)!, durationMs(pause.max)!];
    return min + (max - min) * next();
  };
  return Array.from({ length: draws }, () => {
    if (step.think_time !== undefined) return drawOne(step.think_time);
    const { choices } = step.random!;
    let rest = next() * choices.reduce((sum, { weight }) => sum + weight!, 0);
    const choice = choices.find(({ weight }) => (rest -= weight!) < 0)!;
    return drawOne(choice.steps[0].think_time!);
  });
}

function uniform({ think_time: pause }: Step) {
  if (typeof pause !== "object" || pause.type !== "uniform") throw new Error("no uniform pause");
  return pause;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * values.length)];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Returns `count` lognormally distributed pauses of at most 30 minutes, in milliseconds. Rounds
 * them to whole seconds, the resolution of most logs.
 */
function lognormal(medianMs: number, sigma: number, count: number): number[] {
  const { gaussian } = random(3);
  return Array.from({ length: count }, () => {
    const ms = medianMs * Math.exp(sigma * gaussian());
    return Math.min(1_800_000, Math.round(ms / 1_000) * 1_000);
  });
}

for (const [median, sigma] of [[21_000, 1.44], [5_000, 0.8], [60_000, 1]] as const) {
  Deno.test(`pauseLike keeps the median, p80, p95 and mean of skewed pauses around ${median} ms`, () => {
    const observed = lognormal(median, sigma, 5_000);
    const replayed = drawn(stepsOf(observed), 50_000);
    for (const share of [0.5, 0.8, 0.95]) {
      const expected = quantile(observed, share);
      assertAlmostEquals(quantile(replayed, share), expected, 0.12 * expected + 500, `p${share}`);
    }
    assertAlmostEquals(mean(replayed), mean(observed), 0.1 * mean(observed));
  });
}

Deno.test("pauseLike returns one uniform think time for evenly distributed pauses", () => {
  const { int } = random(5);
  const observed = Array.from({ length: 2_000 }, () => int(6, 18) * 1_000);
  const [step, ...more] = stepsOf(observed);
  assertEquals(more, []);
  const { min, max } = uniform(step);
  assertAlmostEquals(durationMs(min)!, 6_000, 800);
  assertAlmostEquals(durationMs(max)!, 18_000, 800);
});

Deno.test("pauseLike keeps the mean and the spread of a small number of pauses", () => {
  assertEquals(stepsOf([2_000, 2_000]), [
    { think_time: { type: "constant", duration: "2000ms" } },
  ]);
  const [step] = stepsOf([1_000, 90_000]);
  assertEquals(uniform(step).min, "0ms");
});
