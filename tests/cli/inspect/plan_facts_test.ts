import { assertEquals } from "@std/assert";
import { planFacts } from "../../../src/cli/inspect/plan_facts.ts";
import type { Scenario } from "../../../src/plan/kinds/executors/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps/steps.ts";

const request: Step = { request: { url: "http://a.example/" } };
const steady = {
  executor: "constant-arrival-rate" as const,
  rate: 100,
  duration: "10s",
  pre_allocated_vus: 5,
  flow: [request],
};

Deno.test("planFacts does not add the rates of scenarios in sequence", () => {
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
