import { assertEquals } from "@std/assert";
import { mergeSummaries } from "../../../src/engine/metrics/merge_summaries.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { Sent } from "../../support/fake_sender.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
  type TestRunOptions,
} from "../../support/run_in_virtual_time.ts";

function plan(thresholds: Plan["thresholds"] = {}): Plan {
  return singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 1, iterations: 100", [{ request: { url: "/" } }]),
    { thresholds },
  );
}

/** Runs each of `of` shards of a plan. Returns their summaries as read from files. */
async function runShards(plan: Plan, of: number, options: TestRunOptions = {}): Promise<Summary[]> {
  const shards: Summary[] = [];
  for (let index = 0; index < of; index++) {
    const { summary } = await runInVirtualTime(plan, { ...options, shard: { index, of } });
    shards.push(JSON.parse(JSON.stringify(summary)));
  }
  return shards;
}

Deno.test("merge: merging the shards gives the same summary as an unsharded run", async () => {
  const thresholds = { http_reqs: ["count==60"], "http_req_duration{name:GET /}": ["p(95)<100"] };
  const whole = singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 6, iterations: 10", [{
      request: { url: "/", checks: [{ type: "status", equals: 200 }] },
    }]),
    { thresholds },
  );
  const timed = ({ at }: Sent) => ({ ms: 20 + at % 97, status: at % 5 === 0 ? 500 : 200 });
  const one = (await runInVirtualTime(whole, { respond: timed })).summary;
  const shards = await runShards(whole, 3, { respond: timed });
  for (const { thresholds, passed, plan_hash } of shards) {
    assertEquals(thresholds.map(({ passed }) => passed), [null, null]);
    assertEquals([passed, plan_hash], [null, one.plan_hash]);
  }
  const merged = mergeSummaries(shards);
  assertEquals(merged.shards.map(({ shard }) => shard), ["1/3", "2/3", "3/3"]);
  assertEquals(merged.thresholds, one.thresholds);
  const about = ({ started_at: _1, shards: _2, histograms: _3, ...rest }: Summary) => ({
    ...rest,
    // Merging adds up the minima of gauges, although they may not occur at the same time.
    metrics: { ...rest.metrics, vus: 0 },
  });
  assertEquals(about(merged), about(one));
  assertEquals(merged.histograms, one.histograms);
});

Deno.test("merge: uses the time of day to align shards that started at different times", async () => {
  const open = singleScenarioPlan(
    scenarioOf("constant-arrival-rate, rate: 40, duration: 4s, pre_allocated_vus: 20", [{
      request: { url: "/" },
    }]),
  );
  const runs = await runShards(open, 2, { respond: () => ({ ms: 5 }) });
  const shards = runs.map((summary, index): Summary => {
    const started_at = new Date(Date.UTC(2026, 10, 22) + index * 3_000).toISOString();
    return { ...summary, started_at, shards: [{ ...summary.shards[0], started_at }] };
  });
  const [one] = shards;
  const merged = mergeSummaries(shards);
  assertEquals(merged.accepted.map(({ flaw }) => flaw), ["shifted"]);
  assertEquals([merged.started_at, merged.duration_ms], [one.started_at, one.duration_ms + 3_000]);
  const scheduled = merged.timeline.map(({ at, scheduled }) => [at, scheduled]).filter((
    [, count],
  ) => count > 0);
  assertEquals(scheduled, [[1, 20], [2, 20], [3, 20], [4, 40], [5, 20], [6, 20], [7, 20]]);
  assertEquals(merged.endpoints[0].series?.count.slice(0, 7), [20, 20, 20, 40, 20, 20, 20]);
  const requests = merged.metrics.http_reqs as { count: number; rate: number };
  assertEquals([requests.count, Math.round(requests.rate)], [160, 23]);
});

Deno.test("merge: the summary contains the phases and VU starts of all shards", async () => {
  const { summary } = await runInVirtualTime(plan());
  const stage = (from_ms: number, to_ms: number, target: number, scenario = "s") => ({
    scenario,
    from_ms,
    to_ms,
    target,
    unit: "VUs" as const,
  });
  const [scenario] = summary.scenarios;
  const part = (shard: string, phases: Summary["phases"], starts: object, started_at: string) => ({
    ...summary,
    started_at,
    scenarios: [{ ...scenario, ...starts }],
    shards: [{ ...summary.shards[0], shard, started_at }],
    phases,
    environment: {
      version: "0",
      plan: "p.yaml",
      targets: ["http://t"],
      options: ["--vus 5", `--shard ${shard}`, "--seed 1"],
      cores: 2,
      workers: 1,
    },
  });
  const at = "2026-11-22T00:00:00.000Z";
  const shards = [
    part("1/3", [stage(0, 900, 5)], { start_delay_ms: 20 }, at),
    part("2/3", [stage(0, 1_000, 5), stage(1_000, 2_000, 9), stage(0, 10, 1, "t")], {}, at),
    part("3/3", [], { start_delay_ms: 70, unstarted_vus: 3 }, at),
  ];
  const merged = mergeSummaries(shards);
  assertEquals(merged.phases, [
    stage(0, 1_000, 5),
    stage(1_000, 2_000, 9),
    stage(0, 10, 1, "t"),
  ]);
  assertEquals(merged.environment?.options, ["--vus 5", "--seed 1"]);
  const [{ start_delay_ms, unstarted_vus }] = merged.scenarios;
  assertEquals([start_delay_ms, unstarted_vus], [70, 3]);
  const late = part("3/3", [stage(0, 1_000, 5)], {}, "2026-11-22T00:00:10.000Z");
  assertEquals(mergeSummaries([shards[1], late]).phases[0], stage(0, 11_000, 5));
  assertEquals(mergeSummaries([shards[2], shards[2]]).phases, []);
});

Deno.test("merge: load changes of a shard that starts later are shifted by the delay", async () => {
  const { summary } = await runInVirtualTime(plan());
  const shard = (started_at: string, at_ms: number, rate: number): Summary => ({
    ...summary,
    started_at,
    shards: [{ ...summary.shards[0], started_at }],
    changes: [{ at_ms, paused: false, rate, vus: {} }],
  });
  const changes = (late: string) =>
    mergeSummaries([shard("2026-11-22T00:00:00.000Z", 6_000, 2), shard(late, 1_000, 3)]).changes
      ?.map(({ at_ms, rate }) => [at_ms, rate]);
  assertEquals(changes("2026-11-22T00:00:10.000Z"), [[6_000, 2], [11_000, 3]]);
  assertEquals(changes("2026-11-22T00:00:00.000Z"), [[1_000, 3], [6_000, 2]]);
});

Deno.test("merge: an optional threshold stays optional", async () => {
  const optional = { threshold: "p(95)<1", optional: true };
  const evaluated = plan({ "http_req_duration{name:none}": [optional] });
  assertEquals(mergeSummaries(await runShards(evaluated, 2)).passed, true);
});

Deno.test("merge: returns a single summary unchanged", async () => {
  const { summary } = await runInVirtualTime(plan({ http_reqs: ["count>1"] }));
  assertEquals(mergeSummaries([summary]), summary);
});
