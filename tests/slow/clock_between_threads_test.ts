import { assertEquals } from "@std/assert";
import { preciseClock, sleepUntil, startAlarm } from "../../src/engine/vu/clock.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import { runOnCores } from "../../src/engine/run_on_cores.ts";
import type { CounterStats } from "../../src/engine/summary/flow_stats.ts";
import { singleScenarioPlan } from "../support/run_in_virtual_time.ts";

const HOUR = 3_600_000;

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
