import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CounterStats } from "../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import type { JoinOutcome } from "../../src/fleet/run_reported_shard.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { scenarioOf, singleScenarioPlan } from "../support/run_in_virtual_time.ts";
import { BusyClock } from "../support/busy_clock.ts";
import { VirtualFleet } from "../support/virtual_fleet.ts";

function planOf(flow: Step[], rest: Partial<Plan> = {}): Plan {
  return singleScenarioPlan(
    scenarioOf("constant-arrival-rate, rate: 10, duration: 5s, pre_allocated_vus: 5", flow),
    rest,
  );
}

function ok<T>(result: T | Error): T {
  if (result instanceof Error) throw result;
  return result;
}

/**
 * Runs a plan with one leader and `shards` joiners over a bus that accepts messages of at most
 * `maxBytes` bytes.
 */
async function lead(
  plan: Plan,
  { shards = 1, maxBytes = 1024 * 1024 } = {},
): Promise<{ summary: Summary; outcomes: JoinOutcome[]; notes: string[]; sizes: number[] }> {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards });
  const joiners = Array.from({ length: shards }, () => fleet.join());
  for (const { bus } of [leader, ...joiners]) bus.maxBytes = maxBytes;
  const [summary, ...outcomes] = await fleet.drive(
    Promise.all([leader.ended, ...joiners.map(({ ended }) => ended)]),
  );
  return {
    summary: ok(summary as Summary | Error),
    outcomes: outcomes.map((outcome) => ok(outcome as JoinOutcome | Error)),
    notes: leader.notes,
    sizes: fleet.hub.sent.map(({ bytes }) => bytes.length),
  };
}

Deno.test("fleet reports: the value of a gauge can be negative or a fraction", async () => {
  const plan = planOf([{ metric: { name: "level", type: "gauge", value: -2.5 } }]);
  const { summary, outcomes } = await lead(plan);
  assertEquals(summary.metrics.level, outcomes[0].summary.metrics.level);
  assertEquals(summary.metrics.level, { value: -2.5, min: -2.5, max: -2.5 });
  assertEquals([summary.shards.length, summary.accepted], [1, []]);
});

Deno.test("fleet reports: a gauge that the plan defines has the largest value of all shards", async () => {
  const plan = planOf([{ metric: { name: "level", type: "gauge", value: 7 } }]);
  const { summary } = await lead(plan, { shards: 2 });
  assertEquals(summary.metrics.level, { value: 7, min: 7, max: 7 });
});

Deno.test("fleet reports: the leader adds up the plan's own metrics and their sub-metrics", async () => {
  const plan = planOf([
    { metric: { name: "sold", type: "counter", value: 3, tags: { kind: "book" } } },
    { metric: { name: "wait", type: "trend", value: 20 } },
    { metric: { name: "hit", type: "rate", value: true } },
    {
      request: {
        url: "/a",
        extract: [{
          name: "n",
          type: "regex",
          expression: "(none)",
          default: 7,
          into: { metric: "found", type: "counter" },
        }],
      },
    },
  ], { thresholds: { "sold{kind:book}": ["count==150"], found: ["count==350"] } });
  const { summary, notes } = await lead(plan, { shards: 2 });
  assertEquals(notes.filter((note) => note.startsWith("lost")), []);
  assertEquals(summary.thresholds.map(({ passed }) => passed), [true, true]);
  assertEquals((summary.metrics.sold as CounterStats).count, 150);
  assertEquals(["hit", "wait"].filter((name) => !(name in summary.metrics)), []);
});

const long = Array.from({ length: 300 }, (_, i) => ({
  request: { url: `/${i}`, name: `endpoint ${i} ${"x".repeat(5_000)}` },
}));

Deno.test("fleet reports: messages stay small even if the bus allows larger ones", async () => {
  const { summary, outcomes, sizes } = await lead(planOf(long), { maxBytes: 8 * 1024 * 1024 });
  assert(Math.max(...sizes) <= 1024 * 1024);
  assertEquals(summary.accepted, []);
  assertEquals(summary.metrics.http_reqs, outcomes[0].summary.metrics.http_reqs);
});

Deno.test("fleet reports: a report that is too large for any message ends the shard with an error", async () => {
  const name = "x".repeat(1_100_000);
  const plan = planOf([{ request: { url: "/a", name } }]);
  const { summary, outcomes } = await lead(plan);
  assertEquals(summary.failure, "shards were lost");
  assertStringIncludes(summary.accepted[0].message, "is too large for the bus");
  assertStringIncludes(outcomes[0].problem!, "is too large for the bus");
});

Deno.test("fleet reports: live counts include scenarios that a partial report omits", async () => {
  const seen: number[] = [];
  const fleet = new VirtualFleet();
  const leader = fleet.lead(planOf(long.slice(0, 30)), {
    onTick: ({ scenarios }) => seen.push(scenarios[0]?.iterations ?? 0),
  });
  const joiner = fleet.join({ respond: () => ({ ms: 0.01, status: 200 }) });
  joiner.bus.maxBytes = 20_000;
  await fleet.drive(Promise.all([leader.ended, joiner.ended]));
  assertEquals(seen.slice(0, 5), [10, 20, 30, 40, 50]);
});

Deno.test("fleet reports: the leader adds up the VUs that started late or not at all", async () => {
  const fleet = new VirtualFleet(new BusyClock(100));
  const plan = singleScenarioPlan(
    scenarioOf("constant-vus, vus: 1000, duration: 1s", [{ request: { url: "/" } }]),
  );
  const leader = fleet.lead(plan, { shards: 2 });
  const joiners = [0, 1].map(() => fleet.join({ respond: () => ({ ms: 5_000 }) }));
  const [summary, ...outcomes] = await fleet.drive(
    Promise.all([leader.ended, ...joiners.map(({ ended }) => ended)]),
  );
  const scenarios = outcomes.map((outcome) =>
    ok(outcome as JoinOutcome | Error).summary.scenarios[0]
  );
  const [total] = ok(summary as Summary | Error).scenarios;
  const unstarted = scenarios.map(({ unstarted_vus = 0 }) => unstarted_vus);
  assert(unstarted.every((count) => count > 100), String(unstarted));
  assertEquals(total.unstarted_vus, unstarted[0] + unstarted[1]);
  const delays = scenarios.map(({ start_delay_ms = 0 }) => start_delay_ms);
  assertEquals(total.start_delay_ms, Math.max(...delays));
});
