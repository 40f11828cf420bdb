import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { textWidth } from "../../src/base/text_width.ts";
import type { ErrorKind } from "../../src/engine/sender.ts";
import type { Summary } from "../../src/engine/summary.ts";
import { renderSummary } from "../../src/report/text/summary.ts";
import { BUSY } from "../support/summary.ts";

const PLAIN = { color: false, width: 80 };
// deno-lint-ignore no-control-regex
const ANSI = /\x1b\[\d+m/g;

const EMPTY: Summary = {
  ...BUSY,
  passed: null,
  ending: "interrupted",
  metrics: {},
  thresholds: [],
  checks: [],
  endpoints: [],
  errors: [],
  scenarios: [],
  timeline: [],
};

Deno.test("the report of a busy run is as it was agreed", async () => {
  const golden = new URL("../../testdata/report/busy.txt", import.meta.url);
  assertEquals(renderSummary(BUSY, PLAIN), await Deno.readTextFile(golden));
});

Deno.test("the report fits into 80 columns, or what the terminal has above that", () => {
  for (const width of [20, 80, 120]) {
    const lines = renderSummary(BUSY, { color: false, width }).split("\n");
    const widest = Math.max(...lines.map((line) => line.length));
    assert(widest <= Math.max(80, width), `${widest} columns of ${width}`);
  }
});

Deno.test("colour changes nothing but colour", () => {
  const colored = renderSummary(BUSY, { color: true, width: 80 });
  assertEquals(colored.replaceAll(ANSI, ""), renderSummary(BUSY, PLAIN));
  assert(colored.includes("\x1b[31m✗"));
});

Deno.test("a run without a request has a verdict and nothing else", () => {
  assertEquals(
    renderSummary(EMPTY, PLAIN),
    "interrupted\nINTERRUPTED  demo shop: interrupted after 10s, seed 42\n",
  );
});

Deno.test("one shard of several reports that its thresholds are not judged", () => {
  const [whole] = EMPTY.shards;
  const [threshold] = BUSY.thresholds;
  const text = renderSummary({
    ...EMPTY,
    ending: "finished",
    shards: [{ ...whole, shard: "2/3" }],
    thresholds: [{ ...threshold, passed: null, value: null }],
  }, PLAIN);
  assertStringIncludes(text, "?  http_req_duration  p(95)<400  not judged\n");
  assertStringIncludes(text, "\nshard 2/3 only: `rehearse merge` judges all shards\n");
  assertStringIncludes(text, "\nSHARD 2/3, 1 threshold not judged  demo shop: ran 10s, seed 42\n");
});

Deno.test("an incomplete or interrupted run never reports that it passed", () => {
  const thresholds = BUSY.thresholds.filter(({ passed }) => passed);
  const accepted = [{ flaw: "missing" as const, message: "missing: shard 2/3" }];
  const incomplete = renderSummary({ ...BUSY, thresholds, passed: null, accepted }, PLAIN);
  assertStringIncludes(incomplete, "\nincomplete run: missing: shard 2/3\nINCOMPLETE  demo shop");
  const ending = "interrupted" as const;
  const interrupted = renderSummary({ ...BUSY, thresholds, passed: null, ending }, PLAIN);
  assertStringIncludes(interrupted, "\nINTERRUPTED  demo shop");
});

Deno.test("shards that did not run side by side have no rate", () => {
  const accepted = [{ flaw: "shifted" as const, message: "the shards started 3s apart" }];
  assertStringIncludes(renderSummary(BUSY, PLAIN), "50/s asked for");
  assertEquals(renderSummary({ ...BUSY, accepted }, PLAIN).includes("/s asked for"), false);
});

Deno.test("closed scenarios tell their iterations, late starts blame this machine", () => {
  const [open] = BUSY.scenarios;
  const scenarios = [
    { ...open, name: "closed", executor: "constant-vus", schedule_lag_us: null, dropped: 0 },
    { ...open, schedule_lag_us: { ...open.schedule_lag_us!, "p(99)": 10_001 } },
  ];
  const text = renderSummary({ ...EMPTY, scenarios }, PLAIN);
  assertStringIncludes(text, "495 iterations by at most 20 VUs at once");
  assertStringIncludes(text, "497 of 500 starts made (99.40%)\n");
  assertStringIncludes(text, "this machine started late");
});

Deno.test("the rate asked for is that of whole seconds", () => {
  // Starts at 0.5 s and ends at 3.5 s, 40 a second.
  const asked = [20, 40, 40, 40, 20, 0];
  const points = asked.map((asked, i) => {
    const at = i + 2;
    return { ...BUSY.timeline[0], at, asked, started: asked === 0 ? 0 : asked - 1 };
  });
  const report = (timeline: Summary["timeline"]) =>
    renderSummary({ ...EMPTY, scenarios: BUSY.scenarios, timeline }, PLAIN);
  assertStringIncludes(report(points), "made (99.40%): 39/s of the 40/s asked for\n");
  assertStringIncludes(report(points.slice(4)), "made (99.40%)\n");
});

Deno.test("a good answer is told where an extraction or an assertion made it a failure", () => {
  const answers = (statuses: Record<string, number>) => {
    const endpoint = { ...BUSY.endpoints[0], count: 90, failed: 12, statuses };
    const lines = renderSummary({ ...EMPTY, endpoints: [endpoint] }, PLAIN).split("\n");
    return lines[lines.findIndex((line) => line.startsWith("Failed")) + 2].split("%  ")[1];
  };
  assertEquals(answers({ "200": 90 }), "200 ×90");
  assertEquals(answers({ "200": 85, "500": 5 }), "500 ×5, 200 ×85");
  assertEquals(answers({ "200": 78, "500": 12 }), "500 ×12");
});

Deno.test("endpoints of one name are told apart by their scenarios", () => {
  const [{ name }] = BUSY.endpoints;
  const endpoints = ["one", "two"].map((scenario) => ({ ...BUSY.endpoints[0], scenario }));
  const told = (list: Summary["endpoints"]) => renderSummary({ ...EMPTY, endpoints: list }, PLAIN);
  assertEquals(told(endpoints).split(`  two: ${name.slice(0, 9)}`).length, 3);
  assertEquals(told([endpoints[0], endpoints[0]]).includes("one: "), false);
});

Deno.test("hostile text reaches no terminal", () => {
  const evil = "\x1b[2J\u202e\r\n" + "x".repeat(300);
  const hostile: Summary = {
    ...BUSY,
    name: evil,
    shards: [{ ...BUSY.shards[0], shard: evil }],
    metrics: { [evil]: BUSY.metrics.http_req_duration, [`a${evil}`]: BUSY.metrics.http_reqs },
    thresholds: BUSY.thresholds.map((t) => ({ ...t, metric: evil, expression: evil })),
    checks: BUSY.checks.map((c) => ({ ...c, name: evil, group: `::${evil}`, scenario: evil })),
    endpoints: BUSY.endpoints.map((e) => ({ ...e, name: evil, statuses: { [evil]: 1, 500: 2 } })),
    errors: BUSY.errors.map((e) => ({ ...e, name: evil, message: evil, kind: evil as ErrorKind })),
    scenarios: BUSY.scenarios.map((s) => ({ ...s, name: evil, executor: evil })),
  };
  const text = renderSummary(hostile, PLAIN);
  // deno-lint-ignore no-control-regex
  assertEquals(text.match(/[\x00-\x09\x0b-\x1f\u202e]/g), null);
  assertEquals(text.split("\n").filter((line) => line.length > 80), []);
});

Deno.test("wide characters are laid out by the columns that they take", () => {
  const [first, ...others] = BUSY.endpoints;
  const wide = {
    ...BUSY,
    name: "日".repeat(60),
    endpoints: [{ ...first, name: "語".repeat(70) }, ...others],
  };
  const lines = renderSummary(wide, { color: false, width: 80 }).split("\n");
  for (const line of lines) assert(textWidth(line) <= 80, line);
  const table = lines.slice(lines.indexOf("Slowest endpoints") + 1).slice(0, 3);
  assertEquals(new Set(table.map(textWidth)).size, 1, table.join("\n"));
});
