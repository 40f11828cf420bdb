import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { describeLoad, planFacts } from "../../../src/cli/run/planned_load.ts";
import { Arrivals } from "../../../src/engine/kinds/arrivals.ts";
import { rateCurve, type Scenario, type ScenarioOf } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { scenarioOf } from "../../support/run_in_virtual_time.ts";

const request: Step = { request: { url: "/" } };
const steady = {
  executor: "constant-arrival-rate",
  rate: 100,
  duration: "10s",
  pre_allocated_vus: 5,
} as const;
const open = { duration: "10s", pre_allocated_vus: 5 } as const;
const flow = [request];

Deno.test("describeLoad states the VUs, the duration, the expected requests and the peak rate", () => {
  const table: [Record<string, Scenario>, string][] = [
    [
      { s: { executor: "constant-arrival-rate", rate: 20, ...open, flow: [request, request] } },
      "1 scenario, at most 5 VUs, 10s, about 400 requests, peak 40/s",
    ],
    [
      {
        a: { executor: "constant-arrival-rate", rate: 20, ...open, flow: [request] },
        b: {
          executor: "constant-arrival-rate",
          rate: 5,
          ...open,
          start_time: "5s",
          flow: [request],
        },
        c: {
          executor: "constant-arrival-rate",
          rate: 30,
          ...open,
          start_time: "1m",
          flow: [request],
        },
      },
      "3 scenarios, at most 15 VUs, 1m10s, about 550 requests, peak 30/s",
    ],
    [
      {
        s: {
          executor: "ramping-arrival-rate",
          stages: [{ duration: "10s", target: 10 }, { duration: "10s", target: 0 }],
          pre_allocated_vus: 5,
          flow: [request],
        },
      },
      "1 scenario, at most 5 VUs, 20s, about 100 requests, peak 10/s",
    ],
    ...[{ start_time: "10s" }, { after: "a", start_time: 0 }].map(
      (start): [Record<string, Scenario>, string] => [
        {
          a: { ...steady, graceful_stop: 0, flow: [request] },
          b: { ...steady, ...start, flow: [request] },
        },
        `2 scenarios, at most 10 VUs, ${
          start.after ? "at most " : ""
        }20s, about 2,000 requests, peak 100/s`,
      ],
    ),
    [
      {
        a: { ...steady, start_time: "100ms", duration: "200ms", flow: [request] },
        b: { ...steady, start_time: "300ms", flow: [request] },
      },
      "2 scenarios, at most 10 VUs, 10s, about 1,020 requests, peak 100/s",
    ],
    [
      { a: { ...steady, flow: [request] }, b: { ...steady, start_time: "9s", flow: [request] } },
      "2 scenarios, at most 10 VUs, 19s, about 2,000 requests, peak 200/s",
    ],
    [
      { a: { ...steady, rate: 1, duration: "1s", flow: [request] } },
      "1 scenario, at most 5 VUs, 1s, about 1 request, peak 1/s",
    ],
    [
      { a: { ...steady, rate: 1, time_unit: "300ms", duration: "1s", flow: [request] } },
      "1 scenario, at most 5 VUs, 1s, about 4 requests, peak 3.333/s",
    ],
    [
      { s: { executor: "constant-vus", vus: 3, duration: "1m", flow: [request] } },
      "1 scenario, at most 3 VUs, 1m",
    ],
    [
      {
        a: scenarioOf("shared-iterations, vus: 2, iterations: 10, max_duration: 1m", [request]),
        b: scenarioOf("per-vu-iterations, vus: 2, iterations: 3, after: a, max_duration: 1m", [
          request,
        ]),
      },
      "2 scenarios, at most 4 VUs, at most 2m30s, about 16 requests",
    ],
  ];
  for (const [scenarios, expected] of table) {
    assertEquals(describeLoad(planFacts({ scenarios })), `Load: ${expected}`);
  }
});

Deno.test("describeLoad describes only the shard that runs", () => {
  const arrivals: Scenario = { executor: "constant-arrival-rate", rate: 30, ...open, flow };
  assertEquals(
    describeLoad(planFacts({ scenarios: { arrivals } }, { index: 0, of: 3 })),
    "Load: 1 scenario, at most 2 VUs, 10s, about 100 requests, peak 10/s",
  );
});

Deno.test("planFacts does not add up the rates of scenarios that run one after another", () => {
  const plans: [Partial<Scenario>, number][] = [
    [{ start_time: "10s" }, 100],
    [{ after: "a" }, 100],
    [{ start_time: "9s" }, 200],
  ];
  for (const [start, peak] of plans) {
    const scenarios = { a: { ...steady, flow }, b: { ...steady, flow, ...start } as Scenario };
    assertEquals(planFacts({ scenarios }).peakRequestRate, peak);
  }
});

Deno.test("planFacts adds the graceful_stop of a scenario to the start time of the next one", () => {
  const scenarios = {
    a: { ...steady, flow, graceful_stop: "20s" },
    b: { ...steady, flow, after: "a", start_time: "5s" },
    c: { ...steady, flow, after: "b" },
  };
  const times = planFacts({ scenarios }).scenarios.map((
    { startSeconds, endSeconds },
  ) => [startSeconds, endSeconds]);
  assertEquals(times, [[0, 10], [35, 45], [75, 85]]);
});

Deno.test("planFacts includes an iteration that starts shortly before the end of the duration", () => {
  const scenarios = { a: { ...steady, flow, rate: 1, time_unit: "300ms", duration: "1s" } };
  const { requests, scenarios: [{ iterations }] } = planFacts({ scenarios });
  assertEquals([iterations, requests], [4, 4]);
});

Deno.test("planFacts includes the handshakes of WebSockets", () => {
  const socket: Step = { websocket: { url: "ws://a.example/", steps: [{ wait: "1s" }] } };
  const scenarios = { a: { ...steady, rate: 10, flow: [socket] } };
  const { requests, peakRequestRate } = planFacts({ scenarios });
  assertEquals([requests, peakRequestRate], [100, 10]);
});

Deno.test("planFacts predicts the rate in each interval if stages change it suddenly", () => {
  const stages = [["20s", 5], ["0s", 40], ["10s", 40], ["0s", 10], ["30s", 10]] as const;
  const { rates, peakRequestRate } = planFacts({ scenarios: { a: ramping(5, stages) } });
  const part = (length: number, rate: number) => new Array<number>(length).fill(rate);
  assertEquals(rates, [...part(20, 5), ...part(10, 40), ...part(30, 10)]);
  assertEquals(peakRequestRate, 40);
});

Deno.test("planFacts ignores rates that last 0 s", () => {
  const stages = [["0s", 500], ["0s", 20], ["10s", 20], ["0s", 900]] as const;
  const { rates, scenarios: [{ peakRate }] } = planFacts({
    scenarios: { a: ramping(100, stages) },
  });
  assertEquals([peakRate, Math.max(...rates), Math.min(...rates)], [20, 20, 20]);
});

Deno.test("planFacts predicts as many iterations per interval as the schedule starts", () => {
  fc.assert(fc.property(
    fc.nat(100),
    fc.array(fc.tuple(fc.constantFrom(0, 0, 0.7, 1, 2, 6), fc.nat(100)), { maxLength: 8 }),
    fc.constantFrom(0, 5),
    (start, stages, delay) => {
      // The run takes 60 s, so that steps are exactly between two intervals.
      const rest = 60 - delay - stages.reduce((sum, [seconds]) => sum + seconds, 0);
      const timed = [...stages, [rest, 7] as const].map(([seconds, target]) =>
        [`${Math.round(seconds * 1_000)}ms`, target] as const
      );
      const scenario = { ...ramping(start, timed), start_time: `${delay}s` };
      const { rates, seconds, peakRequestRate } = planFacts({ scenarios: { a: scenario } });
      const curve = rateCurve(scenario);
      const schedule = new Arrivals(
        curve.slice(1).map(({ seconds, rate }, i) => ({
          durationMs: (seconds - curve[i].seconds) * 1_000,
          from: curve[i].rate / 1_000,
          to: rate / 1_000,
        })),
      );
      const length = seconds / rates.length;
      const startedBy = (interval: number) =>
        schedule.areaUntil((interval * length) * 1_000 - delay * 1_000);
      for (const [i, rate] of rates.entries()) {
        assert(rate >= 0 && rate <= peakRequestRate!, `${rate}`);
        assertAlmostEquals(rate * length, startedBy(i + 1) - startedBy(i), 1e-3);
      }
    },
  ));
});

function ramping(
  start_rate: number,
  stages: readonly (readonly [duration: string, target: number])[],
): ScenarioOf<"ramping-arrival-rate"> {
  return {
    executor: "ramping-arrival-rate",
    start_rate,
    stages: stages.map(([duration, target]) => ({ duration, target })),
    pre_allocated_vus: 5,
    flow: [request],
  };
}
