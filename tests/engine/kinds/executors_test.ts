import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { Arrivals, type RateStage } from "../../../src/engine/kinds/arrivals.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { BusyClock } from "../../support/busy_clock.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
  type TestRunOptions,
} from "../../support/run_in_virtual_time.ts";

const flow: Step[] = [{ request: { url: "/" } }];

/** What a run counts. Times are in ms after the start of the run. */
interface Expected {
  /** Duration of each request. */
  readonly ms: number;
  readonly iterations: number;
  readonly interrupted?: number;
  readonly dropped?: number;
  readonly maxVus: number;
  readonly durationMs: number;
}

/** Keys of a scenario, what its run counts, and the times of its first requests. */
const CASES: Record<string, readonly [keys: string, expected: Expected, sentAt?: number[]]> = {
  "constant-vus: each VU completes the iteration that is running at the end": [
    "constant-vus, vus: 2, duration: 1s",
    { ms: 300, iterations: 8, maxVus: 2, durationMs: 1_200 },
    [0, 0, 300, 300, 600, 600, 900, 900],
  ],
  "constant-vus: starts no iteration at the exact end of the schedule": [
    "constant-vus, vus: 1, duration: 1s",
    { ms: 250, iterations: 4, maxVus: 1, durationMs: 1_000 },
  ],
  "constant-vus: cancels iterations that outlast `graceful_stop`": [
    "constant-vus, vus: 3, duration: 1s, graceful_stop: 500ms",
    { ms: 2_000, iterations: 0, interrupted: 3, maxVus: 3, durationMs: 1_500 },
  ],
  "constant-vus: `start_time` delays the scenario": [
    "constant-vus, vus: 1, duration: 1s, start_time: 2s",
    { ms: 600, iterations: 2, maxVus: 1, durationMs: 3_200 },
    [2_000, 2_600],
  ],
  "pacing: delays the iterations of each VU": [
    "constant-vus, vus: 2, duration: 1s, pacing: {iterations_per_second: 4}",
    { ms: 100, iterations: 8, maxVus: 2, durationMs: 1_000 },
    [0, 0, 250, 250, 500, 500, 750, 750],
  ],
  "pacing: does not delay a VU whose iterations take longer than the pace": [
    "per-vu-iterations, vus: 1, iterations: 3, pacing: {iterations_per_second: 4}",
    { ms: 400, iterations: 3, maxVus: 1, durationMs: 1_200 },
    [0, 400, 800],
  ],
  "throttle: spaces out the requests of all VUs": [
    "per-vu-iterations, vus: 3, iterations: 2, throttle: {requests_per_second: 10}",
    { ms: 10, iterations: 6, maxVus: 3, durationMs: 510 },
    [0, 100, 200, 300, 400, 500],
  ],
  "per-vu-iterations: each VU runs all iterations": [
    "per-vu-iterations, vus: 3, iterations: 4",
    { ms: 100, iterations: 12, maxVus: 3, durationMs: 400 },
  ],
  "per-vu-iterations: `max_duration` ends the scenario": [
    "per-vu-iterations, vus: 1, iterations: 100, max_duration: 1s, graceful_stop: 0",
    { ms: 300, iterations: 3, interrupted: 1, dropped: 96, maxVus: 1, durationMs: 1_000 },
  ],
  "shared-iterations: all VUs together run the exact number of iterations": [
    "shared-iterations, vus: 4, iterations: 10",
    { ms: 100, iterations: 10, maxVus: 4, durationMs: 300 },
  ],
  "shared-iterations: uses at most as many VUs as iterations": [
    "shared-iterations, vus: 50, iterations: 3",
    { ms: 100, iterations: 3, maxVus: 3, durationMs: 100 },
  ],
  "ramping-vus: changes the number of VUs linearly, up and down": [
    "ramping-vus, stages: [{duration: 4s, target: 4}, {duration: 4s, target: 0}]",
    // 1 VU from 1 s, 2 from 2 s, …, 4 from 4 s, 3 from 5 s, …: 16 VU-seconds
    { ms: 1_000, iterations: 16, maxVus: 4, durationMs: 8_000 },
    [1_000, 2_000, 2_000, 3_000, 3_000, 3_000, 4_000],
  ],
  "ramping-vus: cancels a surplus VU after `graceful_ramp_down`": [
    "ramping-vus, start_vus: 2, graceful_ramp_down: 1s, " +
    "stages: [{duration: 0, target: 1}, {duration: 5s, target: 1}]",
    { ms: 3_000, iterations: 2, interrupted: 1, maxVus: 2, durationMs: 6_000 },
  ],
  "ramping-vus: a surplus VU continues if the number of VUs rises again": [
    "ramping-vus, start_vus: 1, stages: [{duration: 1s, target: 1}, {duration: 0, target: 0}, " +
    "{duration: 1s, target: 0}, {duration: 0, target: 1}, {duration: 1s, target: 1}]",
    { ms: 400, iterations: 6, maxVus: 1, durationMs: 3_200 },
    [0, 400, 800, 2_000, 2_400, 2_800],
  ],
  "constant-arrival-rate: starts iterations on time even if the target is slow": [
    "constant-arrival-rate, rate: 10, duration: 1s, pre_allocated_vus: 20",
    { ms: 1_500, iterations: 10, maxVus: 20, durationMs: 2_400 },
    [0, 100, 200, 300, 400, 500, 600, 700, 800, 900],
  ],
  "constant-arrival-rate: drops an iteration if no VU is free": [
    "constant-arrival-rate, rate: 10, duration: 1s, pre_allocated_vus: 1, max_vus: 2",
    // VU 1 at 0 and 500, VU 2 at 100 and 600; the other six iterations find no free VU.
    { ms: 450, iterations: 4, dropped: 6, maxVus: 2, durationMs: 1_050 },
    [0, 100, 500, 600],
  ],
  "constant-arrival-rate: `time_unit` sets the period of the rate": [
    "constant-arrival-rate, rate: 30, time_unit: 1m, duration: 10s, pre_allocated_vus: 2",
    { ms: 10, iterations: 5, maxVus: 2, durationMs: 10_000 },
    [0, 2_000, 4_000, 6_000, 8_000],
  ],
  "constant-arrival-rate: cancels running iterations after `graceful_stop`": [
    "constant-arrival-rate, rate: 2, duration: 2s, pre_allocated_vus: 4, graceful_stop: 1s",
    // due at 0, 500, 1,000, 1,500; canceled at 3,000
    { ms: 2_100, iterations: 2, interrupted: 2, maxVus: 4, durationMs: 3_000 },
  ],
  "ramping-arrival-rate: iteration n is due when the area under the curve is n": [
    "ramping-arrival-rate, stages: [{duration: 2s, target: 4}], pre_allocated_vus: 9",
    // The area is t², so iteration n is due at √n.
    { ms: 10, iterations: 4, maxVus: 9, durationMs: 2_000 },
    [0, 1_000, 1_414.213562, 1_732.050808],
  ],
};

for (const [name, [keys, test, sentAt]] of Object.entries(CASES)) {
  Deno.test(name, async () => {
    const { summary, sent } = await runInVirtualTime(singleScenarioPlan(scenarioOf(keys)), {
      respond: () => ({ ms: test.ms }),
    });
    const [stats] = summary.scenarios;
    assertEquals(
      [stats.iterations, stats.interrupted, stats.dropped, stats.max_vus],
      [test.iterations, test.interrupted ?? 0, test.dropped ?? 0, test.maxVus],
    );
    assertAlmostEquals(summary.duration_ms, test.durationMs, 1e-6);
    sentAt?.forEach((at, i) => assertAlmostEquals(sent[i].at, at, 1e-3));
    assertEquals(summary.ending, "finished");
  });
}

Deno.test("arrival-rate executors rotate through free VUs in every shard", async () => {
  const plan = singleScenarioPlan(
    scenarioOf("constant-arrival-rate, rate: 100, duration: 1s, pre_allocated_vus: 10", [{
      request: { url: "/${vu}" },
    }]),
  );
  for (const shard of [{ index: 0, of: 1 }, { index: 0, of: 2 }, { index: 1, of: 2 }]) {
    const { sent } = await runInVirtualTime(plan, { shard, respond: () => ({ ms: 15 }) });
    const vus = sent.map(({ target }) => target);
    const round = vus.slice(0, 10 / shard.of);
    assertEquals(new Set(round).size, round.length);
    assertEquals(vus, Array.from({ length: 10 }, () => round).flat());
  }
});

Deno.test("`stop` lets running iterations finish, but `kill` cancels them", async () => {
  const plan = singleScenarioPlan({ executor: "constant-vus", vus: 2, duration: "10s", flow });
  const respond = () => ({ ms: 700 });
  const stop = new AbortController();
  const stopped = await runInVirtualTime(plan, {
    respond,
    stop: stop.signal,
    during: { 1_000: () => stop.abort() },
  });
  assertEquals(stopped.summary.ending, "interrupted");
  assertEquals(stopped.summary.duration_ms, 1_400);
  assertEquals(stopped.summary.scenarios[0].iterations, 4);

  const kill = new AbortController();
  const killed = await runInVirtualTime(plan, {
    respond,
    kill: kill.signal,
    during: { 1_000: () => kill.abort() },
  });
  assertEquals(killed.summary.duration_ms, 1_000);
  assertEquals(killed.summary.scenarios[0].interrupted, 2);
  assertEquals(killed.sent.length, 4);
  assertEquals(killed.summary.metrics.http_reqs, { count: 2, rate: 2 });
});

Deno.test("`stop` does not wait for the pacing of VUs or for scenarios that have not started", async () => {
  const stop = new AbortController();
  const paced = singleScenarioPlan(
    scenarioOf("constant-vus, vus: 1, duration: 100s, pacing: {iterations_per_second: 0.05}", flow),
  );
  const during = { 5_000: () => stop.abort() };
  assertEquals(
    (await runInVirtualTime(paced, { stop: stop.signal, during })).summary.duration_ms,
    5_000,
  );
  const early = new AbortController();
  const later = singleScenarioPlan(
    scenarioOf("constant-vus, vus: 1, duration: 1s, start_time: 1h", flow),
  );
  const outcome = await runInVirtualTime(later, {
    stop: early.signal,
    during: { 5_000: () => early.abort() },
  });
  assertEquals([outcome.summary.duration_ms, outcome.sent.length], [5_000, 0]);
});

Deno.test("a flow that never waits yields to timers", async () => {
  const idle: Step[] = [{ if: { condition: { var: "no", exists: true }, then: flow } }];
  const { summary } = await runInVirtualTime(
    singleScenarioPlan({ executor: "constant-vus", vus: 1, duration: 1, flow: idle }),
  );
  assertEquals(summary.scenarios[0].iterations, 1_000);
});

/** Closed-model scenarios of one second that start 1,000 VUs at once. */
const CROWDS: readonly Scenario[] = [
  { executor: "constant-vus", vus: 1_000, duration: "1s", flow },
  { executor: "ramping-vus", start_vus: 1_000, stages: [{ duration: "1s", target: 1_000 }], flow },
  {
    executor: "ramping-vus",
    stages: [{ duration: "1ms", target: 1_000 }, { duration: "999ms", target: 1_000 }],
    flow,
  },
  { executor: "per-vu-iterations", vus: 1_000, iterations: 1, max_duration: "1s", flow },
  { executor: "shared-iterations", vus: 1_000, iterations: 1_000, max_duration: "1s", flow },
  { executor: "externally-controlled", vus: 1_000, max_vus: 1_000, duration: "1s", flow },
];

for (const crowd of CROWDS) {
  Deno.test(`${crowd.executor}: VUs that cannot start in time do not delay the end of the run`, async () => {
    const { summary } = await runInVirtualTime(singleScenarioPlan(crowd), {
      clock: new BusyClock(100),
      respond: () => ({ ms: 10_000 }),
    });
    const [scenario] = summary.scenarios;
    const started = scenario.iterations + scenario.interrupted;
    assert(started >= 100 && started <= 300, `${started} VUs started`);
    assertEquals(scenario.unstarted_vus, 1_000 - started);
    assert(scenario.start_delay_ms! >= 900 && scenario.start_delay_ms! <= 1_200);
    assert(summary.duration_ms < 12_000, `ended after ${summary.duration_ms} ms`);
  });
}

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

Deno.test("a constant rate does not drift over a million iterations", () => {
  const arrivals = new Arrivals([{ durationMs: 3_600_000, from: 0.3, to: 0.3 }]);
  assertEquals(arrivals.count, 1_080_000);
  assertAlmostEquals(arrivals.dueAt(1_000_000), 1_000_000 / 0.3, 1e-6);
  assertAlmostEquals(arrivals.dueAt(999), 999 / 0.3, 1e-9);
});

const FLOW = [{ request: { url: "/" } }];
const pool = { pre_allocated_vus: 100, flow: FLOW };

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
