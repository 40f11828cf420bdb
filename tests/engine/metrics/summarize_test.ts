import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { mergeSummaries } from "../../../src/engine/metrics/merge_summaries.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { TrendStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { FakeResponse, Sent } from "../../support/fake_sender.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../../support/run_in_virtual_time.ts";

const flow: Step[] = [
  {
    group: {
      name: "g",
      steps: [{
        request: { url: "/a", tags: { kind: "x" }, checks: [{ type: "status", equals: 200 }] },
      }],
    },
  },
  { request: { url: "/b", method: "PUT" } },
];

/**
 * Responds to every 7th request with status 500, and resets the connection of every 11th. The n-th
 * response takes n ms.
 */
const respond = (_: Sent, n: number): FakeResponse =>
  n % 11 === 10
    ? { error: "reset", ms: n + 1 }
    : { status: n % 7 === 6 ? 500 : 200, body: "12345", ms: n + 1 };

function plan(thresholds: Plan["thresholds"] = {}): Plan {
  return singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 1, iterations: 100, tags: {team: t}", flow),
    { thresholds },
  );
}

function trend(summary: Summary, name: string): TrendStats {
  return summary.metrics[name] as TrendStats;
}

Deno.test("summary: contains statistics that are accurate to 3 significant digits", async () => {
  const { summary } = await runInVirtualTime(plan(), { respond });
  const n = 200;
  const resets = Math.floor(n / 11);
  assertEquals(summary.metrics.http_reqs, { count: n, rate: n / summary.duration_ms * 1_000 });
  assertEquals((summary.metrics.data_sent as { count: number }).count, 100 * n);
  assertEquals((summary.metrics.data_received as { count: number }).count, 55 * (n - resets));
  const duration = trend(summary, "http_req_duration");
  assertEquals([duration.count, duration.min, duration.max], [n, 1, n]);
  assertAlmostEquals(duration.avg, (n + 1) / 2, 1e-9);
  for (
    const [key, exact] of [["med", 100], ["p(90)", 180], ["p(95)", 190], ["p(99)", 198]] as const
  ) {
    assert(Math.abs(duration[key] - exact) <= exact / 1_000, `${key}: ${duration[key]}`);
  }
  const [first, second] = summary.endpoints;
  assertEquals(
    [first.name, first.method, first.group, first.count, second.name, second.group],
    ["GET /a", "GET", "::g", 100, "PUT /b", ""],
  );
  assertEquals(first.count + second.count, n);
  assertEquals(summary.errors.map(({ kind }) => kind), ["reset", "reset"]);
  assertEquals(summary.errors.reduce((sum, { count }) => sum + count, 0), resets);
  const failed = first.failed + second.failed;
  assertEquals(summary.metrics.http_req_failed, {
    value: failed / n,
    passes: failed,
    fails: n - failed,
  });
});

Deno.test("summary: contains a sub-metric for the samples that a threshold selects by tag", async () => {
  const { summary } = await runInVirtualTime(
    plan({
      "http_reqs{name:GET /a}": ["count==100"],
      "http_reqs{status:500}": ["count>0"],
      "http_reqs{kind:x,team:t}": ["count==100"],
      "http_reqs{group:::g}": ["count==100"],
      "http_reqs{error_kind:reset}": ["count==18"],
      "http_reqs{status:503}": ["count==0"],
      "http_reqs{scenario:other}": [{ threshold: "count==0", optional: true }],
      "dropped_iterations{scenario:s}": ["count==0"],
      "http_req_duration{method:PUT}": ["min>=2", "p(50)>1ms"],
      "checks{check:status equals 200}": ["rate<1"],
      "checks{check:status equals 200,name:GET /a}": ["rate<1"],
      "iterations{scenario:s}": ["count==100"],
      "iteration_duration{scenario:s}": ["max<1m"],
    }),
    { respond },
  );
  assertEquals(summary.thresholds.filter(({ passed }) => !passed), []);
  assertEquals(summary.thresholds.length, 14);
});

Deno.test("summary: counts the results of a check in total and for each request", async () => {
  const checks = [{ type: "status" as const, equals: 200, name: "ok" }];
  const { summary } = await runInVirtualTime(
    singleScenarioPlan(scenarioOf("per-vu-iterations, vus: 2, iterations: 3", [
      { request: { url: "/a", name: "home", checks } },
      { request: { url: "/b", checks } },
      { request: { url: "/b?again", name: "GET /b", checks } },
      { group: { name: "g", steps: [{ request: { url: "/b", checks } }] } },
    ])),
    { respond: ({ target }) => ({ status: target === "/b" ? 500 : 200 }) },
  );
  const ok = { name: "ok", scenario: "s" };
  const expected = [
    {
      ...ok,
      group: "",
      passes: 12,
      fails: 6,
      requests: [{ name: "home", passes: 6, fails: 0 }, { name: "GET /b", passes: 6, fails: 6 }],
    },
    {
      ...ok,
      group: "::g",
      passes: 0,
      fails: 6,
      requests: [{ name: "GET /b", passes: 0, fails: 6 }],
    },
  ];
  assertEquals(summary.checks, expected);
});

Deno.test("summary: reports thresholds that fail, select no samples, or abort the run", async () => {
  const evaluated = async (thresholds: Plan["thresholds"]) => {
    const { summary } = await runInVirtualTime(plan(thresholds), { respond });
    return summary;
  };
  const failing = await evaluated({ http_reqs: ["count<10", "rate>0"] });
  assertEquals([failing.passed, failing.ending], [false, "finished"]);
  assertEquals(failing.thresholds.map(({ passed }) => passed), [false, true]);
  const early = await evaluated({ http_reqs: [{ threshold: "count<50", abort_on_fail: true }] });
  assertEquals([early.ending, early.thresholds[0].aborted], ["threshold", true]);
  assert(early.duration_ms >= 2_000 && early.duration_ms < 2_300, `${early.duration_ms}`);
  const later = await evaluated({
    http_reqs: [{ threshold: "count<50", abort_on_fail: true, delay_abort_eval: "5s" }],
  });
  assert(later.duration_ms >= 5_000 && later.duration_ms < 5_500);
});

Deno.test("summary: contains one timeline point per second, and the counts of all points add up to the totals", async () => {
  const { summary } = await runInVirtualTime(plan(), { respond });
  assertEquals(summary.timeline.map(({ at }) => at), summary.timeline.map((_, i) => i + 1));
  assertEquals(summary.timeline.length, Math.ceil(summary.duration_ms / 1_000));
  const sum = (key: "requests" | "failed" | "started") =>
    summary.timeline.reduce((total, point) => total + point[key], 0);
  assertEquals([sum("requests"), sum("started")], [200, 100]);
  const last = summary.timeline[summary.timeline.length - 1];
  assert(Math.abs(last.p50 - 198) < 5);
});

Deno.test("summary: counts an iteration as scheduled in the second in which it is due", async () => {
  const { summary } = await runInVirtualTime(
    singleScenarioPlan(
      scenarioOf("constant-arrival-rate, rate: 30, duration: 3s, pre_allocated_vus: 9", [{
        request: { url: "/" },
      }]),
    ),
  );
  assertEquals(summary.timeline.slice(0, 3).map(({ scheduled }) => scheduled), [30, 30, 30]);
});

Deno.test("summary: the corrected latency reveals a stalled target", async () => {
  const { summary } = await runInVirtualTime(
    singleScenarioPlan({
      executor: "constant-arrival-rate",
      rate: 100,
      duration: "10s",
      pre_allocated_vus: 500,
      think_time: "1ms",
      flow: [{ request: { url: "/", headers: {} } }, { request: { url: "/second" } }],
    }),
    // The target stalls from 4 to 6 s: requests sent in that time get their response at 6 s.
    { respond: ({ at }) => ({ ms: at >= 4_000 && at < 6_000 ? 6_000 - at : 1 }) },
  );
  const corrected = trend(summary, "http_req_latency_corrected");
  assertEquals(corrected.count, 1_000);
  assertEquals([corrected.min, corrected.max], [1, 2_000]);
  assertAlmostEquals(corrected["p(90)"], 1_000, 15);
  assertEquals(summary.scenarios[0].schedule_lag_us?.max, 0);
});

Deno.test("summary: fails a threshold that selects no samples, unless it is optional", async () => {
  const optional = true;
  const { summary } = await runInVirtualTime(
    plan({
      "http_req_duration{name:none}": ["p(95)<1", { threshold: "p(95)<1", optional }],
      "http_req_failed{group:g}": ["rate<1"],
      "checks{check:none}": ["rate>0"],
      "http_reqs{name:none}": ["count<10", { threshold: "count<10", optional }],
      "vus{scenario:s}": ["value<10"],
      "http_reqs{status:503}": ["count<10"],
    }),
    { respond },
  );
  assertEquals(summary.passed, false);
  assertEquals(summary.thresholds.map(({ passed, value }) => [passed, value]), [
    [false, null],
    [true, null],
    [false, null],
    [false, null],
    [false, null],
    [true, null],
    [false, null],
    [true, 0],
  ]);
  const merged = mergeSummaries([summary]);
  assertEquals(merged.thresholds, summary.thresholds);
});

Deno.test("run: does not abort on a threshold that has no samples yet", async () => {
  const { summary } = await runInVirtualTime(
    plan({ "http_req_duration{name:none}": [{ threshold: "p(95)<1", abort_on_fail: true }] }),
    { respond },
  );
  assertEquals([summary.ending, summary.passed], ["finished", false]);
});

Deno.test("summary: fails a run in which no request got a response", async () => {
  const dead = await runInVirtualTime(plan(), { respond: () => ({ error: "refused", ms: 1 }) });
  assertEquals([dead.summary.passed, dead.summary.failure], [false, "no request got a response"]);
  const merged = mergeSummaries([dead.summary]);
  assertEquals([merged.passed, merged.failure], [false, "no request got a response"]);
  const half = await runInVirtualTime(plan(), {
    respond: (_, n) => n === 7 ? { status: 500 } : { error: "refused", ms: 1 },
  });
  assertEquals([half.summary.passed, half.summary.failure], [null, undefined]);
  const all = mergeSummaries([dead.summary, half.summary]);
  assertEquals(all.failure, undefined);
});

Deno.test("summary: fails a run whose requests were all interrupted, or that sent no requests", async () => {
  const failures = async (
    scenario: Scenario,
    options: Parameters<typeof runInVirtualTime>[1] = {},
  ) => {
    const respond = () => ({ ms: 60_000 });
    const { summary } = await runInVirtualTime(singleScenarioPlan(scenario), {
      respond,
      ...options,
    });
    return [summary.passed, summary.failure, mergeSummaries([summary]).failure];
  };
  const dead = "no request got a response";
  const flow: Step[] = [{ request: { url: "/" } }];
  const hanging = (vus: number) =>
    scenarioOf(`constant-vus, vus: ${vus}, duration: 1s, graceful_stop: 500ms`, flow);
  assertEquals(await failures(hanging(3)), [false, dead, dead]);
  const answered = { respond: (_: unknown, n: number) => ({ ms: n === 0 ? 1 : 60_000 }) };
  assertEquals(await failures(hanging(3), answered), [null, undefined, undefined]);
  const idle: Scenario = scenarioOf(
    "externally-controlled, vus: 0, max_vus: 4, duration: 1s",
    flow,
  );
  assertEquals(await failures(idle), [false, dead, dead]);
  const shard = { shard: { index: 1, of: 2 } };
  assertEquals(await failures(hanging(1), shard), [null, undefined, undefined]);
  assertEquals(await failures(hanging(2), shard), [false, dead, dead]);
  const stop = new AbortController();
  const stopped = { stop: stop.signal, during: { 500: () => stop.abort() } };
  assertEquals(await failures(idle, stopped), [null, undefined, undefined]);
  const silent: Scenario = { ...hanging(3), flow: [{ think_time: "100ms" }] };
  assertEquals(await failures(silent), [null, undefined, undefined]);
});

Deno.test("summary: counts unsent requests separately", async () => {
  const { summary } = await runInVirtualTime(
    singleScenarioPlan(
      scenarioOf("per-vu-iterations, vus: 1, iterations: 10", [{ request: { url: "/a" } }, {
        request: { url: "/b/${nowhere}" },
      }]),
    ),
  );
  const counted = summary.endpoints.map(({ count, failed, unsent }) => [count, failed, unsent]);
  assertEquals(counted, [[10, 0, 0], [0, 10, 10]]);
  assertEquals(summary.timeline.map(({ unsent }) => unsent), [10]);
  const merged = mergeSummaries([summary, summary]);
  assertEquals(merged.endpoints.map(({ unsent }) => unsent), [0, 20]);
  assertEquals(merged.timeline.map(({ unsent }) => unsent), [20]);
  assertEquals(summary.failure, undefined);
});
