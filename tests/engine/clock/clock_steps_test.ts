import { assertEquals } from "@std/assert";
import { startAlarm } from "../../../src/engine/clock/alarm.ts";
import { sleepUntil } from "../../../src/engine/clock/clock.ts";
import { networkOptions } from "../../../src/http/network_options.ts";
import { preciseClock } from "../../../src/engine/clock/real_clock.ts";
import { runOnCores } from "../../../src/engine/workers/run_on_cores.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { CounterStats } from "../../../src/engine/summary/metric_stats.ts";
import { runInVirtualTime, singleScenarioPlan } from "../../support/run_in_virtual_time.ts";

const HOUR = 3_600_000;
const PLAN: Plan = singleScenarioPlan({
  executor: "constant-arrival-rate",
  rate: 10,
  duration: 5,
  pre_allocated_vus: 4,
  flow: [{ request: { url: "/" } }, { think_time: "300ms" }],
});

Deno.test("clock: ignores changes to the system clock during a run", async () => {
  const { summary } = await runInVirtualTime(PLAN);
  const stepped = await steppingClock(async () => (await runInVirtualTime(PLAN)).summary);
  assertEquals(withoutStart(stepped), withoutStart(summary));
});

for (const step of [HOUR, -HOUR]) {
  Deno.test(`clock: does not delay iterations if the system clock changes by ${step / HOUR} h before a thread starts`, async () => {
    await setBetweenThreads(step, async () => {
      assertEquals(await startAlarm(), undefined);
      const clock = await preciseClock();
      await sleepUntil(clock, clock.now() + 2);
      clock.close();
      assertEquals(await servedRequests(2), 20);
    });
  });
}

/**
 * Runs `work` as if the system clock had been set forward by `step` milliseconds after this thread
 * started and before other threads start.
 */
async function setBetweenThreads(step: number, work: () => Promise<void>): Promise<void> {
  const { timeOrigin } = performance;
  Object.defineProperty(performance, "timeOrigin", {
    value: timeOrigin - step,
    configurable: true,
  });
  try {
    await work();
  } finally {
    Object.defineProperty(performance, "timeOrigin", { value: timeOrigin, configurable: true });
  }
}

/**
 * Runs a plan over the network in at most `workers` threads. Returns the number of requests that
 * the server received.
 */
async function servedRequests(workers: number): Promise<number> {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(),
  );
  const plan = singleScenarioPlan({
    executor: "constant-arrival-rate",
    rate: 20,
    duration: 1,
    pre_allocated_vus: 20, // no iteration is dropped even if the machine is busy
    flow: [{ request: { url: `http://127.0.0.1:${server.addr.port}/` } }],
  });
  const { metrics, errors } = await runOnCores(plan, {
    workers,
    network: networkOptions({}, () => ""),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  assertEquals(errors, []);
  return (metrics.http_reqs as CounterStats).count;
}

async function steppingClock<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  let calls = 0;
  Date.now = () => now() + (calls++ % 3 - 1) * HOUR;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

function withoutStart(summary: Summary): Summary {
  const shards = summary.shards.map((shard) => ({ ...shard, started_at: "" }));
  return { ...summary, started_at: "", shards };
}
