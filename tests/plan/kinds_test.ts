import { assert, assertEquals } from "@std/assert";
import { writtenNumber } from "../../src/base/exact_number.ts";
import {
  controlledVus,
  type ExecutorKind,
  isOpenModel,
  maxVus,
  plannedIterations,
  rateCurve,
  type ScenarioOf,
} from "../../src/plan/kinds/executors.ts";
import {
  countSent,
  describeSent,
  recordedEntries,
  recordedEntry,
} from "../../src/plan/kinds/list_requests.ts";
import { OUTPUTS } from "../../src/plan/kinds/outputs.ts";
import { partitionCount } from "../../src/plan/partition.ts";
import { sampleTags } from "../../src/plan/text/metrics.ts";

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

Deno.test("countSent counts the requests and messages nested in every kind of step", () => {
  const one = { request: { url: "/" } };
  const steps = [one, one];
  assertEquals(
    countSent([[one], [
      { websocket: { url: "/live", steps: [{ send: { text: "a" } }, ...steps] } },
      { think_time: 1 },
      { group: { name: "a", steps } },
      { random: { choices: [{ steps }, { steps }] } },
      { repeat: { times: 9, steps } },
      { foreach: { items: [1], as: "x", steps } },
      { if: { condition: { type: "status", equals: 200 }, then: steps, else: steps } },
      { while: { condition: { type: "status", equals: 200 }, steps } },
      { during: { duration: 1, steps } },
      { retry: { attempts: 1, until: { type: "status", equals: 200 }, steps } },
      { parallel: { branches: [steps, [{ group: { name: "b", steps } }]] } },
    ]]),
    { requests: 1 + 3 + 2 + 4 + 2 + 2 + 4 + 2 + 2 + 2 + 4, messages: 1 },
  );
  assertEquals(describeSent({ requests: 1, messages: 0 }), "1 request");
  assertEquals(describeSent({ requests: 2, messages: 1 }), "2 requests and 1 WebSocket message");
});

Deno.test("docs/exporters.md has an example of every output", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/exporters.md", import.meta.url));
  for (const type of Object.keys(OUTPUTS)) assert(page.includes(`{ type: ${type}, `), type);
});

const ENTRIES: [unknown, number | undefined][] = [
  ["83", 83],
  [83, 83],
  [writtenNumber("83"), 83],
  ["0", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["08", undefined],
  ["first", undefined],
  [true, undefined],
  ["9".repeat(16), undefined],
];

for (const [value, expected] of ENTRIES) {
  Deno.test(`recorded tag: reads ${typeof value} ${value} as ${expected}`, () => {
    assertEquals(recordedEntry({ tags: { recorded: value, team: "a" } }), expected);
  });
}

Deno.test("recorded tag: recordedEntries returns every entry number in a list, and recordedEntry the last one", () => {
  const request = { tags: { recorded: "7,9,12" } };
  assertEquals(recordedEntries(request), [7, 9, 12]);
  assertEquals(recordedEntry(request), 12);
});

for (const invalid of ["7,", ",7", "7, 9", "9,7", "7,7", "7,x", ""]) {
  Deno.test(`recorded tag: ignores the invalid list "${invalid}"`, () => {
    assertEquals(recordedEntries({ tags: { recorded: invalid } }), []);
  });
}

Deno.test("recorded tag: a request without tags has no recorded entry number", () => {
  assertEquals(recordedEntry({}), undefined);
  assertEquals(recordedEntry({ tags: { team: "a" } }), undefined);
});

Deno.test("recorded tag: is omitted from samples, which keep all other tags", () => {
  assertEquals(sampleTags({ recorded: "83", team: "a" }), { team: "a" });
});
