import { assertEquals, assertObjectMatch } from "@std/assert";
import { CSV_LINES, JSON_LINES } from "../../../src/engine/outputs/open_outputs.ts";
import type { Sample } from "../../../src/engine/metrics/snapshot.ts";
import type { RunOutput } from "../../../src/engine/outputs/outputs.ts";
import { mergeMetrics } from "../../../src/engine/metrics/merge_summaries.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

const flow: Step[] = [
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
const respond = () => ({ status: 200, body: '{"total":21}' });

Deno.test("metric steps and `into` record the plan's own metrics, and thresholds evaluate them", async () => {
  const { summary } = await runFlow(flow, {
    respond,
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
    respond,
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
  await runFlow(flow, { respond, outputs: [output] });
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
