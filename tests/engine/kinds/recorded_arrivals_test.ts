import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { InputError } from "../../../src/base/errors.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import {
  runInVirtualTime,
  singleScenarioPlan,
  type TestRunOptions,
} from "../../support/run_in_virtual_time.ts";

const flow = [{ request: { url: "/" } }];
const pool = { pre_allocated_vus: 100, flow };

/** Returns the times in ms at which a scenario starts iterations. */
async function starts(scenario: Scenario, options: TestRunOptions = {}): Promise<number[]> {
  const { sent } = await runInVirtualTime(singleScenarioPlan(scenario), {
    ...options,
    ticks: false,
  });
  return sent.map(({ at }) => at).sort((a, b) => a - b);
}

/** Returns the variance of the number of times per window, divided by its mean. */
function dispersion(times: readonly number[], windowMs: number, durationMs: number): number {
  const counts = new Array<number>(Math.floor(durationMs / windowMs)).fill(0);
  for (const time of times) counts[Math.floor(time / windowMs)]++;
  const mean = counts.reduce((a, b) => a + b, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length / mean;
}

/** A log of ten minutes with a burst in the third minute: starts per second. */
const recorded = Array.from(
  { length: 600 },
  (_, second) => second >= 120 && second < 180 ? second % 40 : second % 7 === 0 ? second % 5 : 0,
);
const files = {
  "starts.csv": ["second,starts", ...recorded.map((count, second) => `${second},${count}`), ""]
    .join("\n"),
};
const total = recorded.reduce((a, b) => a + b, 0);
const replay: Scenario = {
  executor: "recorded-arrivals",
  path: "starts.csv",
  rate: Number((total / 600).toPrecision(6)),
  duration: "600s",
  ...pool,
};

/** Returns the number of times in each second. */
function perSecond(times: readonly number[], seconds = 600): number[] {
  const counts = new Array<number>(seconds).fill(0);
  for (const time of times) counts[Math.floor(time / 1_000)]++;
  return counts;
}

Deno.test("recorded-arrivals: each second has its recorded number of starts, at random times", async () => {
  const times = await starts(replay, { files });
  assertEquals(perSecond(times), recorded);
  const fractions = times.map((time) => time % 1_000);
  const mean = fractions.reduce((a, b) => a + b, 0) / fractions.length;
  assert(mean > 450 && mean < 550, `mean fraction ${mean} ms`);
  assertEquals(await starts(replay, { files }), times);
  assertNotEquals(await starts(replay, { files, seed: 2 }), times);
});

Deno.test("recorded-arrivals: shards together start what the whole plan starts", async () => {
  const options = { files, seed: 7 };
  const parts = await Promise.all(
    [0, 1, 2].map((index) => starts(replay, { ...options, shard: { index, of: 3 } })),
  );
  assertEquals(parts.flat().sort((a, b) => a - b), await starts(replay, options));
});

Deno.test("recorded-arrivals: a shorter duration stops early", async () => {
  const times = await starts({ ...replay, duration: "150s" }, { files });
  assertEquals(perSecond(times, 150), recorded.slice(0, 150));
});

Deno.test("recorded-arrivals: `rate` repeats or leaves out starts at random", async () => {
  for (const scale of [0.25, 1.5, 3]) {
    const times = await starts({ ...replay, rate: total / 600 * scale }, { files });
    const spread = Math.sqrt(total * scale);
    assert(Math.abs(times.length - total * scale) < 3 * spread, `${times.length} at ${scale}`);
    const sent = perSecond(times);
    assert(sent.every((count, second) => recorded[second] > 0 || count === 0));
    if (scale === 3) assertEquals(sent, recorded.map((count) => 3 * count));
  }
});

Deno.test("recorded-arrivals: `squeeze` divides all times", async () => {
  const squeezed = { ...replay, rate: total / 60, squeeze: 10, duration: "60s" };
  const times = await starts(squeezed, { files });
  assertEquals(perSecond(times.map((time) => time * 10)), recorded);
});

Deno.test("recorded-arrivals: times with a fraction are exact", async () => {
  const exact = { files: { "starts.csv": "second,starts\n0.25,1\n0.25,1\n1.5,2\n3,0\n" } };
  assertEquals(await starts({ ...replay, rate: 1, duration: "4s" }, exact), [
    250,
    250,
    1_500,
    1_500,
  ]);
});

Deno.test("recorded-arrivals: rejects a file that is not a list of ascending times", async () => {
  for (
    const [text, line] of [["2,1\n1,1\n", 3], ["1,x\n", 2], ["1;2\n", 2], ["1,0\n", 0]] as const
  ) {
    const options = { files: { "starts.csv": `second,starts\n${text}` } };
    const error = await assertRejects(() => starts(replay, options), InputError, "the arrivals");
    assertEquals(error.place.line ?? 0, line);
  }
});

Deno.test("arrivals: poisson has the planned number of starts, spread as random ones", async () => {
  const scenario: Scenario = {
    executor: "constant-arrival-rate",
    rate: 10,
    duration: "2000s",
    arrivals: "poisson",
    ...pool,
  };
  const times = await starts(scenario);
  assertEquals(times.length, 20_000);
  // With n windows, the standard deviation of the dispersion is sqrt(2 / n).
  for (const [ms, n] of [[100, 20_000], [1_000, 2_000], [10_000, 200]]) {
    const found = dispersion(times, ms, 2_000_000);
    assert(Math.abs(found - 1) < 4 * Math.sqrt(2 / n), `dispersion ${found} at ${ms} ms`);
  }
  const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
  // The median of exponentially distributed gaps is ln 2 times their mean.
  assert(Math.abs(gaps[10_000] / (100 * Math.LN2) - 1) < 0.05);
});

Deno.test("arrivals: poisson follows the stages, and shards divide it", async () => {
  const scenario: Scenario = {
    executor: "ramping-arrival-rate",
    start_rate: 0,
    stages: [{ duration: "100s", target: 40 }],
    arrivals: "poisson",
    ...pool,
  };
  const times = await starts(scenario, { seed: 5 });
  assertEquals(times.length, 2_000);
  // A quarter of the area is before half of the time.
  const early = times.filter((time) => time < 50_000).length;
  assert(Math.abs(early - 500) < 4 * Math.sqrt(500 * 0.75), `${early} in the first half`);
  const parts = await Promise.all(
    [0, 1].map((index) => starts(scenario, { seed: 5, shard: { index, of: 2 } })),
  );
  assertEquals(parts.flat().sort((a, b) => a - b), times);
});
