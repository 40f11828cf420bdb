import { assertEquals } from "@std/assert";
import { LoadControl } from "../../src/engine/kinds/load_control.ts";
import { mergeSummaries } from "../../src/engine/metrics/merge_summaries.ts";
import type { Sample } from "../../src/engine/metrics/snapshot.ts";
import type { ScenarioSummary } from "../../src/engine/summary/summary.ts";
import type { Scenario } from "../../src/plan/kinds/executors.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import {
  runInVirtualTime,
  singleScenarioPlan,
  type TestRunOptions,
} from "../support/run_in_virtual_time.ts";

const GET: Step = { request: { url: "/" } };
const PASSES = { thresholds: { http_reqs: ["count>=0"] } };
const slowly: TestRunOptions = { respond: () => ({ ms: 1_000 }) };

async function outcome(scenario: Scenario, options?: TestRunOptions) {
  const { summary } = await runInVirtualTime(singleScenarioPlan(scenario, PASSES), options);
  const [first] = summary.scenarios;
  return { summary, counts: counts(first), incomplete: summary.incomplete };
}

function counts({ planned, started, iterations, dropped, ended }: ScenarioSummary) {
  return { planned, started, iterations, dropped, ended };
}

const SHARED: Scenario = {
  executor: "shared-iterations",
  vus: 2,
  iterations: 1_000,
  max_duration: "9s",
  flow: [GET],
};

Deno.test("a run is incomplete if max_duration ends a scenario early", async () => {
  const shared = await outcome(SHARED, slowly);
  assertEquals(shared.counts, {
    planned: 1_000,
    started: 18,
    iterations: 18,
    dropped: 982,
    ended: "time",
  });
  assertEquals(shared.summary.metrics.dropped_iterations, { count: 982, rate: 982 / 9 });
  assertEquals(shared.incomplete, [
    "scenario s: only 18 of 1,000 planned iterations started (1.80%)",
  ]);
  assertEquals(shared.summary.passed, null);
  const dropped: Sample[] = [];
  await outcome(SHARED, {
    ...slowly,
    outputs: [{
      samples: ({ samples }) =>
        dropped.push(...samples.filter(({ type }) => type === "dropped_iteration")),
      close: () => Promise.reject(new Error("not called")),
    }],
  });
  assertEquals(dropped.map((sample) => "value" in sample && sample.value), [982]);
  const perVu = await outcome(
    { executor: "per-vu-iterations", vus: 2, iterations: 10, max_duration: "3s", flow: [GET] },
    slowly,
  );
  assertEquals(perVu.counts, {
    planned: 20,
    started: 6,
    iterations: 6,
    dropped: 14,
    ended: "time",
  });
});

Deno.test("a run is incomplete if an assertion aborts a scenario", async () => {
  const flow: Step[] = [{
    request: {
      url: "/",
      assert: [{ type: "status", equals: 200, on_failure: "abort_scenario" }],
    },
  }];
  const { counts, incomplete } = await outcome(
    { executor: "shared-iterations", vus: 1, iterations: 500, flow },
    { respond: () => ({ status: 500 }) },
  );
  assertEquals(counts, { planned: 500, started: 1, iterations: 1, dropped: 499, ended: "aborted" });
  assertEquals(incomplete, [
    "scenario s: an assertion aborted it; only 1 of 500 planned iterations started (0.20%)",
  ]);
});

Deno.test("a run is incomplete if a scenario sends none of its requests", async () => {
  const plan = singleScenarioPlan({ ...SHARED, iterations: 2 });
  const silent: Scenario = {
    ...SHARED,
    iterations: 2,
    flow: [{ if: { condition: { var: "no", exists: true }, then: [GET] } }],
  };
  const { summary } = await runInVirtualTime({
    ...plan,
    scenarios: { ...plan.scenarios, silent, idle: { ...silent, flow: [{ think_time: "1s" }] } },
  });
  assertEquals(summary.incomplete, ["scenario silent: no request was sent"]);
});

Deno.test("an open model counts what it planned, started and dropped", async () => {
  const rate: Scenario = {
    executor: "constant-arrival-rate",
    rate: 10,
    duration: "10s",
    pre_allocated_vus: 5,
    flow: [GET],
  };
  const { counts, incomplete } = await outcome(rate, { respond: () => ({ ms: 950 }) });
  assertEquals(counts, {
    planned: 100,
    started: 50,
    iterations: 50,
    dropped: 50,
    ended: "finished",
  });
  assertEquals(incomplete, [
    "scenario s: only 50 of 100 planned iterations started (50.00%)",
  ]);
  const fast = await outcome(rate);
  assertEquals([fast.counts.started, fast.incomplete], [100, undefined]);
});

Deno.test("a run that is stopped or whose data run out counts no dropped iterations", async () => {
  const stop = new AbortController();
  const stopped = await outcome(SHARED, {
    ...slowly,
    stop: stop.signal,
    during: { 2_500: () => stop.abort() },
  });
  assertEquals([stopped.counts.dropped, stopped.counts.ended], [0, "stopped"]);
  assertEquals(stopped.incomplete, undefined);
  for (const mode of ["shared", "per_vu"] as const) {
    const rows = [{ id: 1 }];
    const data = { d: { type: "inline", rows, on_eof: "stop", mode } as const };
    const flow: Step[] = [{ request: { url: "/${data.d.id}" } }];
    const plan = singleScenarioPlan({ ...SHARED, flow }, { ...PASSES, data });
    const { summary } = await runInVirtualTime(plan);
    assertEquals([summary.scenarios[0].dropped, summary.scenarios[0].ended], [0, "data"]);
    assertEquals([summary.incomplete, summary.passed], [undefined, true]);
  }
});

Deno.test("a run whose load the user changed is not incomplete", async () => {
  const rate: Scenario = {
    executor: "constant-arrival-rate",
    rate: 10,
    duration: "10s",
    pre_allocated_vus: 5,
    flow: [GET],
  };
  for (const scenario of [rate, { ...SHARED, max_duration: "3s" }] satisfies Scenario[]) {
    const plan = singleScenarioPlan(scenario, PASSES);
    const control = new LoadControl(plan);
    const { summary } = await runInVirtualTime(plan, {
      control,
      during: { 1_000: () => void control.apply({ action: "pause" }) },
    });
    assertEquals([summary.changes?.length, summary.incomplete, summary.passed], [
      1,
      undefined,
      true,
    ]);
  }
});

Deno.test("shards add up what they planned and started", async () => {
  const shards = await Promise.all([0, 1].map(async (index) => {
    const shard = { index, of: 2 };
    const plan = singleScenarioPlan(SHARED, PASSES);
    return (await runInVirtualTime(plan, { ...slowly, shard })).summary;
  }));
  assertEquals(shards.map(({ incomplete }) => incomplete), [undefined, undefined]);
  const merged = mergeSummaries(shards);
  assertEquals(counts(merged.scenarios[0]), {
    planned: 1_000,
    started: 18,
    iterations: 18,
    dropped: 982,
    ended: "time",
  });
  assertEquals(merged.passed, null);
});
