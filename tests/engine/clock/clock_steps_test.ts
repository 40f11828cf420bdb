import { assertEquals } from "@std/assert";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
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
