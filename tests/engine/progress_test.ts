import { assert, assertEquals } from "@std/assert";
import type { Progress } from "../../src/engine/progress.ts";
import { parseShard } from "../../src/plan/partition.ts";
import type { Scenario } from "../../src/plan/kinds/executors.ts";
import { runInVirtualTime } from "../support/run_in_virtual_time.ts";

const flow = [{ request: { url: "/" } }, { think_time: "490ms" }];

/** Runs the scenarios and returns the progress at the end of each second. */
async function progressOf(
  scenarios: Record<string, Scenario>,
  options: Parameters<typeof runInVirtualTime>[1] = {},
): Promise<Progress[]> {
  const all: Progress[] = [];
  await runInVirtualTime({
    name: "test",
    defaults: { http: { base_url: "http://t" } },
    thresholds: { http_reqs: ["count>=6"], "http_req_duration{name:none}": ["p(95)<1"] },
    scenarios,
  }, { ...options, onTick: (progress) => all.push(progress) });
  return all;
}

const states = (all: readonly Progress[], name: string) =>
  all.slice(0, 3).map(({ scenarios }) => {
    const { state, done } = scenarios.find((scenario) => scenario.name === name)!;
    return `${state} ${done}`;
  });

Deno.test("progress: follows the schedule of scenarios with a duration", async () => {
  const all = await progressOf({
    now: { executor: "constant-vus", vus: 1, duration: "2s", flow },
    later: { executor: "constant-vus", vus: 2, duration: "2s", start_time: "2s", flow },
  });
  assertEquals(states(all, "now"), ["running 0.5", "running 1", "ended 1"]);
  assertEquals(states(all, "later"), ["waiting 0", "running 0", "running 0.5"]);
  assertEquals(all.slice(0, 3).map(({ done }) => done), [0.25, 0.5, 0.75]);
  assertEquals(all[0].plannedMs, 4_000);
});

Deno.test("progress: counts only the iterations of this shard", async () => {
  const scenarios: Record<string, Scenario> = {
    s: { executor: "shared-iterations", vus: 2, iterations: 20, flow },
  };
  const whole = await progressOf(scenarios);
  assertEquals(whole.map(({ done }) => done).slice(0, 3), [0.1, 0.3, 0.5]);
  const [half] = await progressOf(scenarios, { shard: parseShard("1/2") });
  assertEquals([half.done, half.scenarios[0].iterations], [0.1, 1]);
});

Deno.test("progress: evaluates thresholds and computes percentiles for the run so far", async () => {
  const all = await progressOf(
    { s: { executor: "constant-vus", vus: 2, duration: "3s", flow } },
    { respond: (_, n) => ({ ms: n < 4 ? 100 : 10 }) },
  );
  assertEquals(
    all.map(({ thresholds }) => thresholds.map(({ passed, value }) => [passed, value])),
    [
      [[false, 4], [null, null]],
      [[true, 8], [null, null]],
      [[true, 12], [null, null]],
    ],
  );
  const { p50, p95, p99 } = all[1].times;
  assertEquals([p50, p95, p99].map(Math.round), [10, 100, 100]);
});

Deno.test("phases: the summary lists the stages that each scenario has reached", async () => {
  const flow = [{ think_time: 1 }];
  const { summary } = await runInVirtualTime({
    scenarios: {
      ramp: {
        executor: "ramping-vus",
        stages: [{ duration: "2s", target: 2 }, { duration: "0s", target: 4 }, {
          duration: "3s",
          target: 4,
        }],
        flow,
      },
      next: {
        executor: "constant-arrival-rate",
        rate: 1,
        duration: "3s",
        pre_allocated_vus: 4,
        after: "ramp",
        start_time: "1s",
        flow,
      },
    },
  }, { onTick: () => {} });
  const [up, jump, hold, next, ...rest] = summary.phases ?? [];
  assertEquals(up, { scenario: "ramp", from_ms: 0, to_ms: 2_000, target: 2, unit: "VUs" });
  assertEquals([jump.from_ms, jump.to_ms, hold.from_ms, hold.to_ms], [2_000, 2_000, 2_000, 5_000]);
  assertEquals([next.scenario, next.target, rest.length], ["next", undefined, 0]);
  assert(next.from_ms >= 6_000 && next.to_ms <= summary.duration_ms, JSON.stringify(next));
});

Deno.test("phases: the summary lists scenarios that start and end within a second", async () => {
  const scenario = (rest: object) => ({
    executor: "per-vu-iterations" as const,
    vus: 1,
    iterations: 1,
    flow: [{ think_time: 0.2 }],
    ...rest,
  });
  const scenarios = {
    first: { ...scenario({}), flow: [{ think_time: 1.2 }] },
    second: scenario({ after: "first" }),
    third: scenario({ after: "second", start_time: "3s" }),
  };
  for (const options of [{}, { onTick: () => {} }]) {
    const { summary } = await runInVirtualTime({ scenarios }, options);
    const phases = summary.phases ?? [];
    assertEquals(phases.map(({ scenario }) => scenario), ["first", "second", "third"]);
    for (const { from_ms, to_ms } of phases) {
      assert(from_ms < to_ms && to_ms <= summary.duration_ms, JSON.stringify(phases));
    }
    const [, second, third] = phases.map(({ from_ms }) => from_ms);
    assert(second >= 1_000 && second <= 2_400 && third >= 3_400, JSON.stringify(phases));
  }
});
