import { assertRejects } from "@std/assert";
import { RunError } from "../../src/base/errors.ts";
import { preciseClock } from "../../src/engine/vu/clock.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import { run } from "../../src/engine/run_plan.ts";
import { singleScenarioPlan } from "../support/run_in_virtual_time.ts";

const HOUR = 3_600_000;

for (const step of [HOUR, -HOUR]) {
  Deno.test(`clock: does not start a run if the system clock changes by ${step / HOUR} h before a thread starts`, async () => {
    await setBetweenThreads(step, async () => {
      await assertRejects(preciseClock, RunError, "start it again");
      await assertRejects(() => runOnThreads(2), RunError, "start it again");
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

/** Runs a plan over the network in `workers` threads. */
async function runOnThreads(workers: number): Promise<void> {
  const plan = singleScenarioPlan({
    executor: "constant-arrival-rate",
    rate: 20,
    duration: 1,
    pre_allocated_vus: 20,
    flow: [{ request: { url: "http://127.0.0.1:1/" } }],
  });
  await run(plan, {
    workers,
    network: networkOptions({}, () => ""),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
}
