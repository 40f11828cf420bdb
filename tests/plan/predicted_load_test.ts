import { assertEquals } from "@std/assert";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { requestRange } from "../../src/plan/predicted_load.ts";

const one: Step = { request: { url: "/" } };
const condition = { type: "variable", name: "x", equals: 1 } as never;

/** Flows, and the minimum, maximum and mean number of requests that each flow sends. */
const TABLE: readonly [string, Step[], [number, number, number | undefined]][] = [
  ["requests", [one, { think_time: "1s" }, one], [2, 2, 2]],
  ["groups", [{ group: { name: "g", steps: [one, one] } }], [2, 2, 2]],
  ["repetitions", [{ repeat: { times: 3, steps: [one, one] } }], [6, 6, 6]],
  [
    "weighted choices",
    [{ random: { choices: [{ weight: 1, steps: [one] }, { weight: 3, steps: [one, one] }] } }],
    [1, 2, 1.75],
  ],
  [
    "choices in turn",
    [{
      random: {
        strategy: "round_robin",
        choices: [{ weight: 9, steps: [one] }, { steps: [one, one] }],
      },
    }],
    [1, 2, 1.5],
  ],
  [
    "choices with weight 0",
    [{ random: { choices: [{ weight: 0, steps: [one] }, { steps: [one, one] }] } }],
    [2, 2, 2],
  ],
  ["conditions", [{ if: { condition, then: [one] } }], [0, 1, undefined]],
  ["equal branches", [{ if: { condition, then: [one], else: [one] } }], [1, 1, 1]],
  ["attempts", [{ retry: { attempts: 3, until: condition, steps: [one] } }], [1, 3, undefined]],
  ["lists", [{ foreach: { items: [1, 2], as: "x", steps: [one] } }], [2, 2, 2]],
  ["references", [{ foreach: { items: "${x}", as: "x", steps: [one] } }], [0, Infinity, undefined]],
  ["loops without requests", [{ during: { duration: "1s", steps: [{ wait: "1s" }] } }], [0, 0, 0]],
  ["WebSockets", [{ websocket: { url: "/", steps: [{ wait: "1s" }, one] } }], [2, 2, 2]],
  ["branches", [{ parallel: { branches: [[one], [one, one]] } }], [3, 3, 3]],
];

for (const [what, flow, [min, max, mean]] of TABLE) {
  Deno.test(`requestRange counts the requests of ${what}`, () => {
    assertEquals(requestRange(flow), { min, max, mean });
  });
}

Deno.test("requestRange returns the mean number of requests of nested steps, or undefined if it is known only during a run", () => {
  const request = one;
  const steps = [request, request];
  const condition = { type: "status", equals: 200 } as const;
  const table: [Step, number | undefined][] = [
    [{ repeat: { times: 3, steps } }, 6],
    [{ group: { name: "g", steps } }, 2],
    [{ foreach: { items: [1, 2], as: "x", steps } }, 4],
    [{ foreach: { items: "${list}", as: "x", steps } }, undefined],
    [{ parallel: { branches: [steps, [request]] } }, 3],
    [{ random: { choices: [{ weight: 3, steps }, { weight: 1, steps: [] }] } }, 1.5],
    [{ random: { strategy: "uniform", choices: [{ weight: 3, steps }, { steps: [] }] } }, 1],
    [{ websocket: { url: "/", steps } }, 3],
    [{ if: { condition, then: [{ think_time: 1 }] } }, 0],
    [{ if: { condition, then: [request] } }, undefined],
    [{ while: { condition, steps } }, undefined],
    [{ during: { duration: "1s", steps } }, undefined],
    [{ think_time: 1 }, 0],
  ];
  for (const [step, expected] of table) assertEquals(requestRange([step]).mean, expected);
});
