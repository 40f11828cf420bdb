import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertObjectMatch,
  assertThrows,
} from "@std/assert";
import { fromJSONSchema } from "zod";
import { mergeMetrics, mergeSummaries } from "../../../src/engine/metrics/merge_summaries.ts";
import type { Sample } from "../../../src/engine/metrics/snapshot.ts";
import { CSV_LINES, JSON_LINES } from "../../../src/engine/outputs/open_outputs.ts";
import type { RunOutput } from "../../../src/engine/outputs/outputs.ts";
import type { TrendStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { longSummary } from "../../builders/long_summary.ts";
import { BUSY } from "../../builders/summary.ts";
import type { FakeResponse, Sent } from "../../support/fake_sender.ts";
import {
  runFlow,
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

const documented = fromJSONSchema(
  JSON.parse(
    await Deno.readTextFile(new URL("../../../docs/summary.schema.json", import.meta.url)),
  ),
);
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

Deno.test("summary schema: accepts the summary of a run", async () => {
  const { summary } = await runInVirtualTime({
    name: "two kinds",
    defaults: { http: { base_url: "http://t" } },
    thresholds: { http_req_duration: ["p(95)<400"], "http_reqs{name:none}": ["count>=0"] },
    scenarios: {
      closed: scenarioOf("constant-vus, vus: 2, duration: 3s", [{
        request: { url: "/a", checks: [{ type: "status", equals: 200 }] },
      }]),
      open: scenarioOf("constant-arrival-rate, rate: 20, duration: 3s, pre_allocated_vus: 1", [{
        request: { url: "/b" },
      }]),
    },
  }, { respond: ({ target }) => target === "/b" ? { error: "timeout", ms: 90 } : {} });
  assertEquals(documented.parse(asJson(summary)), asJson(summary));
});

Deno.test("summary schema: accepts the summaries that other tests use", () => {
  for (const summary of [BUSY, longSummary({ seconds: 5, endpoints: 3 })]) {
    assertEquals(documented.parse(asJson(summary)), asJson(summary));
  }
});

Deno.test("summary schema: rejects a missing, invalid or unknown key", () => {
  const { seed: _, ...withoutSeed } = BUSY;
  for (const invalid of [withoutSeed, { ...BUSY, seed: "1" }, { ...BUSY, sed: 1 }]) {
    assertThrows(() => documented.parse(asJson(invalid)));
  }
});

const measuredFlow: Step[] = [
  {
    request: {
      url: "/",
      extract: [{
        type: "jsonpath",
        name: "total",
        expression: "$.total",
        into: { metric: "basket", type: "trend" },
      }],
    },
  },
  { metric: { name: "orders", type: "counter" } },
  { metric: { name: "orders", type: "counter", value: "${total * 2}", tags: { kind: "big" } } },
  { metric: { name: "paid", type: "rate", value: "${total > 20}" } },
  { metric: { name: "stock", type: "gauge", value: -3 } },
  { metric: { name: "stock", type: "gauge", value: "${total}" } },
];
const respondTotal = () => ({ status: 200, body: '{"total":21}' });

Deno.test("metric steps and `into` record the plan's own metrics, and thresholds evaluate them", async () => {
  const { summary } = await runFlow(measuredFlow, {
    respond: respondTotal,
    plan: {
      thresholds: {
        orders: ["count==43"],
        "orders{kind:big}": ["count==42"],
        "orders{kind:none}": ["count>0"],
        basket: ["max<20ms"],
        paid: ["rate==1"],
        stock: ["value==21"],
      },
    },
  });
  assertEquals(summary.thresholds.map(({ metric, passed }) => [metric, passed]), [
    ["orders", true],
    ["orders{kind:big}", true],
    ["orders{kind:none}", false],
    ["basket", false],
    ["paid", true],
    ["stock", true],
  ]);
  assertEquals(summary.metrics.stock, { value: 21, min: -3, max: 21 });
  assertEquals(summary.metrics.paid, { value: 1, passes: 1, fails: 0 });
  assertObjectMatch(summary.metrics.basket, { count: 1 });
  assertEquals(summary.errors, []);
});

Deno.test("an invalid value for a metric causes an error", async () => {
  const { summary } = await runFlow([
    { metric: { name: "orders", type: "counter", value: 1.5 } },
    { metric: { name: "time", type: "trend", value: "${missing}" } },
    { metric: { name: "age", type: "trend", value: 2e12 } },
    {
      request: {
        url: "/",
        extract: [{
          type: "header",
          name: "kind",
          header: "K",
          into: { metric: "size", type: "gauge" },
        }],
      },
    },
  ], { respond: () => ({ status: 200, headers: [["K", "big"]] }) });
  assertEquals(summary.errors.map(({ kind, name, message }) => [kind, name, message]), [
    ["template", "metric orders", "a counter needs a whole number of at least 0, found 1.5"],
    ["template", "metric time", 'the variable "missing" is not set'],
    [
      "template",
      "metric age",
      "a trend needs a number from 0 to 1,000,000,000,000, found 2000000000000",
    ],
    ["extract", "GET /", 'not a number: "big"'],
  ]);
  assertEquals(summary.metrics.size, undefined);
});

Deno.test("group_duration covers only groups that have run completely", async () => {
  const group = (name: string, steps: Step[]): Step => ({ group: { name, steps } });
  const { summary } = await runFlow([
    group("outer", [{ think_time: 1 }, group("inner", [{ think_time: 2 }])]),
    group("cut", [{
      request: {
        url: "/",
        assert: [{ type: "status", equals: 500, on_failure: "abort_iteration" }],
      },
    }]),
  ], {
    respond: respondTotal,
    plan: { thresholds: { "group_duration{group:::outer::inner}": ["max==2s"] } },
  });
  assertObjectMatch(summary.metrics.group_duration, { count: 2, min: 2_000, max: 3_000 });
  assertEquals(summary.thresholds[0].passed, true);
});

Deno.test("merging threads keeps the largest value of a gauge that the plan defines", () => {
  const gauge = (value: number, min: number, max: number) => ({
    kind: "gauge" as const,
    value,
    min,
    max,
  });
  const merged = mergeMetrics([
    { stock: gauge(3, -1, 5), vus: gauge(2, 1, 2) },
    { stock: gauge(4, 2, 4), vus: gauge(2, 1, 2) },
  ]);
  assertEquals(merged, { stock: gauge(4, -1, 5), vus: gauge(4, 2, 4) });
});

Deno.test("expected_statuses replaces the rule that a request fails if its status is 400 or above", async () => {
  const failed = async (status: number, assert?: Step["request"]) => {
    const { summary } = await runFlow([{ request: { url: "/", ...assert } }], {
      respond: () => ({ status }),
      plan: { defaults: { http: { expected_statuses: [404, "2xx", "300-303"] } } },
    });
    return summary.endpoints[0].failed;
  };
  const results = await Promise.all([200, 299, 303, 304, 404, 405, 500].map((s) => failed(s)));
  assertEquals(results, [0, 0, 0, 1, 0, 1, 1]);
  assertEquals(
    await failed(500, { url: "/", assert: [{ type: "status", equals: 500 }] }),
    0,
  );
});

Deno.test("JSON and CSV samples contain each value of the plan's own metrics", async () => {
  const samples: Sample[] = [];
  const output: RunOutput = {
    samples: (batch) => void samples.push(...batch.samples),
    close: () => Promise.resolve({ name: "", written: 0, dropped: 0 }),
  };
  await runFlow(measuredFlow, { respond: respondTotal, outputs: [output] });
  const own = samples.filter((sample) => sample.type === "metric");
  assertEquals(own.map(({ metric, value }) => [metric, value]), [
    ["basket", 21],
    ["orders", 1],
    ["orders", 42],
    ["paid", 1],
    ["stock", -3],
    ["stock", 21],
  ]);
  assertEquals(own[2].tags.kind, "big");
  const line = { ...JSON.parse(JSON_LINES.line(own[2])), time: "" };
  assertObjectMatch(line, { type: "metric", metric: "orders", value: 42, tags: { kind: "big" } });
  const columns = CSV_LINES.head!.trimEnd().split(",");
  const cells = CSV_LINES.line(own[2]).trimEnd().split(",");
  const cell = (name: string) => cells[columns.indexOf(name)];
  assertEquals(["type", "metric", "value", "scenario", "tags"].map(cell), [
    "metric",
    "orders",
    "42",
    "s",
    "kind=big",
  ]);
});
