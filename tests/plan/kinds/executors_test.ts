import { assertEquals } from "@std/assert";
import {
  controlledVus,
  type ExecutorKind,
  isOpenModel,
  maxVus,
  plannedIterations,
  rateCurve,
  type ScenarioOf,
} from "../../../src/plan/kinds/executors.ts";
import { partitionCount } from "../../../src/plan/partition.ts";

const flow = [{ request: { url: "/" } }];
const stages = [{ duration: "1m", target: 30 }, { duration: 30, target: 60 }];

const SCENARIOS: { readonly [Kind in ExecutorKind]: ScenarioOf<Kind> } = {
  "constant-vus": { executor: "constant-vus", vus: 3, duration: "10s", flow },
  "ramping-vus": { executor: "ramping-vus", start_vus: 5, stages, flow },
  "per-vu-iterations": { executor: "per-vu-iterations", vus: 3, iterations: 7, flow },
  "shared-iterations": { executor: "shared-iterations", vus: 3, iterations: 7, flow },
  "constant-arrival-rate": {
    executor: "constant-arrival-rate",
    rate: 120,
    time_unit: "1m",
    duration: "10s",
    pre_allocated_vus: 2,
    flow,
  },
  "ramping-arrival-rate": {
    executor: "ramping-arrival-rate",
    stages,
    time_unit: "1m",
    pre_allocated_vus: 2,
    max_vus: 9,
    flow,
  },
  "recorded-arrivals": {
    executor: "recorded-arrivals",
    path: "starts.csv",
    rate: 3,
    peak_rate: 40,
    duration: "1m",
    pre_allocated_vus: 4,
    flow,
  },
  "externally-controlled": {
    executor: "externally-controlled",
    vus: 3,
    max_vus: 8,
    duration: "10s",
    flow,
  },
};

function forEach<Fact>(fact: (scenario: ScenarioOf<ExecutorKind>) => Fact): Record<string, Fact> {
  return Object.fromEntries(
    Object.entries(SCENARIOS).map(([kind, scenario]) => [kind, fact(scenario)]),
  );
}

Deno.test("isOpenModel is true only for arrival-rate executors", () => {
  assertEquals(forEach(({ executor }) => isOpenModel(executor)), {
    "constant-vus": false,
    "ramping-vus": false,
    "per-vu-iterations": false,
    "shared-iterations": false,
    "constant-arrival-rate": true,
    "ramping-arrival-rate": true,
    "recorded-arrivals": true,
    "externally-controlled": false,
  });
  assertEquals([isOpenModel("toString"), isOpenModel("")], [false, false]);
});

Deno.test("maxVus returns the maximum number of VUs of a scenario", () => {
  assertEquals(forEach(maxVus), {
    "constant-vus": 3,
    "ramping-vus": 60,
    "per-vu-iterations": 3,
    "shared-iterations": 3,
    "constant-arrival-rate": 2,
    "ramping-arrival-rate": 9,
    "recorded-arrivals": 4,
    "externally-controlled": 8,
  });
});

Deno.test("plannedIterations returns the iterations of a shard, or Infinity if the executor has no limit", () => {
  const inShard = (count: number) => partitionCount(count, { index: 0, of: 2 });
  assertEquals(
    forEach((scenario) => [plannedIterations(scenario), plannedIterations(scenario, inShard)]),
    {
      "constant-vus": [Infinity, Infinity],
      "ramping-vus": [Infinity, Infinity],
      "per-vu-iterations": [21, 14],
      "shared-iterations": [7, 4],
      "constant-arrival-rate": [Infinity, Infinity],
      "ramping-arrival-rate": [Infinity, Infinity],
      "recorded-arrivals": [Infinity, Infinity],
      "externally-controlled": [Infinity, Infinity],
    },
  );
});

Deno.test("rateCurve returns iterations per second for open models, and an empty list for closed models", () => {
  assertEquals(forEach(rateCurve), {
    "constant-vus": [],
    "ramping-vus": [],
    "per-vu-iterations": [],
    "shared-iterations": [],
    "constant-arrival-rate": [{ seconds: 0, rate: 2 }, { seconds: 10, rate: 2 }],
    "ramping-arrival-rate": [
      { seconds: 0, rate: 0 },
      { seconds: 60, rate: 0.5 },
      { seconds: 90, rate: 1 },
    ],
    "recorded-arrivals": [
      { seconds: 0, rate: 40 },
      { seconds: 1, rate: 40 },
      { seconds: 1, rate: 140 / 59 },
      { seconds: 60, rate: 140 / 59 },
    ],
    "externally-controlled": [],
  });
});

Deno.test("controlledVus returns the initial number of VUs if the number can be changed during a run", () => {
  const controlled = Object.entries(forEach(controlledVus)).filter(([, vus]) => vus !== undefined);
  assertEquals(controlled, [["externally-controlled", 3]]);
});
