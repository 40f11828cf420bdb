import { assertEquals } from "@std/assert";
import { workerCount } from "../../../src/engine/run_on_cores.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";

const flow: Step[] = [{ request: { url: "/" } }];
const open = {
  executor: "constant-arrival-rate",
  duration: 1,
  pre_allocated_vus: 500,
  flow,
} as const;

function count(...scenarios: Scenario[]): number {
  return workerCount({ scenarios: Object.fromEntries(scenarios.map((s, i) => [`s${i}`, s])) }, 4);
}

Deno.test("worker count: depends on the load and the number of CPU cores", () => {
  const slow = [...flow, { think_time: "1s" }];
  assertEquals(count({ executor: "constant-vus", vus: 1_000, duration: 1, flow: slow }), 1);
  assertEquals(count({ executor: "constant-vus", vus: 1_001, duration: 1, flow: slow }), 2);
  assertEquals(count({ executor: "constant-vus", vus: 99_999, duration: 1, flow: slow }), 4);
  assertEquals(count({ ...open, rate: 10_000 }), 1);
  assertEquals(count({ ...open, rate: 6_000 }, { ...open, rate: 6_000 }), 2);
  assertEquals(count({ ...open, rate: 20_000, time_unit: "1m" }), 1);
  assertEquals(count({ ...open, rate: 90_000, pre_allocated_vus: 1, max_vus: 3 }), 3);
  const stages = [{ duration: 1, target: 30_000 }];
  assertEquals(count({ executor: "ramping-arrival-rate", stages, pre_allocated_vus: 9, flow }), 3);
  assertEquals(
    count({ executor: "ramping-vus", stages: [{ duration: 1, target: 2_500 }], flow: slow }),
    3,
  );
});

Deno.test("worker count: closed models without pauses use all cores", () => {
  const busy = { executor: "constant-vus", duration: "1m", flow } as const;
  assertEquals([1, 15, 16, 50].map((vus) => count({ ...busy, vus })), [1, 1, 2, 4]);
  assertEquals(count({ ...busy, vus: 8 }, { ...busy, vus: 16 }), 3);
  const pauses: Partial<Scenario>[] = [
    { think_time: "1s" },
    { pacing: { iterations_per_second: 1 } },
    { throttle: { requests_per_second: 10 } },
    { flow: [{ group: { name: "g", steps: [...flow, { think_time: 1 }] } }] },
    { flow: [{ websocket: { url: "/", steps: [{ wait: "1s" }] } }] },
  ];
  for (const pause of pauses) {
    assertEquals(count({ ...busy, vus: 50, ...pause } as Scenario), 1);
  }
  const scenarios = { s: { ...busy, vus: 50 } };
  assertEquals(workerCount({ scenarios, defaults: { think_time: 1 } }, 4), 1);
  const fixed = { executor: "shared-iterations", vus: 50, flow } as const;
  assertEquals([10_000, 10_001].map((iterations) => count({ ...fixed, iterations })), [1, 4]);
});
