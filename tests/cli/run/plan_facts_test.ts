import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { planFacts } from "../../../src/cli/run/planned_load.ts";
import { Arrivals } from "../../../src/engine/kinds/arrivals.ts";
import { rateCurve, type Scenario, type ScenarioOf } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";

const request: Step = { request: { url: "http://a.example/" } };
const steady = {
  executor: "constant-arrival-rate" as const,
  rate: 100,
  duration: "10s",
  pre_allocated_vus: 5,
  flow: [request],
};

Deno.test("planFacts does not add up the rates of scenarios that run one after another", () => {
  const plans: [Partial<Scenario>, number][] = [
    [{ start_time: "10s" }, 100],
    [{ after: "a" }, 100],
    [{ start_time: "9s" }, 200],
  ];
  for (const [start, peak] of plans) {
    const scenarios = { a: { ...steady }, b: { ...steady, ...start } as Scenario };
    assertEquals(planFacts({ scenarios }).peakRequestRate, peak);
  }
});

Deno.test("planFacts adds the graceful_stop of a scenario to the start time of the next one", () => {
  const scenarios = {
    a: { ...steady, graceful_stop: "20s" },
    b: { ...steady, after: "a", start_time: "5s" },
    c: { ...steady, after: "b" },
  };
  const times = planFacts({ scenarios }).scenarios.map((
    { startSeconds, endSeconds },
  ) => [startSeconds, endSeconds]);
  assertEquals(times, [[0, 10], [35, 45], [75, 85]]);
});

Deno.test("planFacts includes an iteration that starts shortly before the end of the duration", () => {
  const scenarios = { a: { ...steady, rate: 1, time_unit: "300ms", duration: "1s" } };
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
