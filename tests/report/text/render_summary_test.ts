import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { textWidth } from "../../../src/base/safe_text.ts";
import type { ErrorKind } from "../../../src/http/sender.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { renderSummary } from "../../../src/report/text/render_summary.ts";
import { printHtml } from "../../../src/report/html/print_html.ts";
import { errorSection } from "../../../src/report/run_sections.ts";
import { runWarnings } from "../../../src/report/run_warnings.ts";
import { BUSY } from "../../builders/summary.ts";

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

Deno.test("renderSummary formats a busy run exactly as in the golden file", async () => {
  const golden = new URL("../../../testdata/report/busy.txt", import.meta.url);
  assertEquals(renderSummary(BUSY, PLAIN), await Deno.readTextFile(golden));
});

Deno.test("renderSummary fits the terminal, but uses at least 80 columns", () => {
  for (const width of [20, 80, 120]) {
    const lines = renderSummary(BUSY, { color: false, width }).split("\n");
    const widest = Math.max(...lines.map((line) => line.length));
    assert(widest <= Math.max(80, width), `${widest} columns of ${width}`);
  }
});

Deno.test("renderSummary produces the same text with and without colors", () => {
  const colored = renderSummary(BUSY, { color: true, width: 80 });
  assertEquals(colored.replaceAll(ANSI, ""), renderSummary(BUSY, PLAIN));
  assert(colored.includes("\x1b[31m✗"));
});

Deno.test("for a run without requests, renderSummary shows only the verdict", () => {
  assertEquals(
    renderSummary(EMPTY, PLAIN),
    "interrupted\ndemo shop: interrupted after 10s, seed 42\nINTERRUPTED\n",
  );
});

Deno.test("renderSummary shows the iterations of closed and of open models", () => {
  const [open] = BUSY.scenarios;
  const scenarios = [
    { ...open, name: "closed", executor: "constant-vus", schedule_lag_us: null, dropped: 0 },
    open,
  ];
  const lines = renderSummary({ ...EMPTY, scenarios }, PLAIN).split("\n");
  assertEquals(lines.slice(0, 4).map((line) => line.trim().replaceAll(/  +/g, " | ")), [
    "Scenarios",
    "Scenario | Executor | Iterations | Cut off | Dropped | Max VUs | Delay p99",
    "closed | constant-vus | 495 | 2 | 0 | 20 | –",
    "browse | constant-arrival-… | 495 | 2 | 3 | 20 | 410µs",
  ]);
});

Deno.test("runWarnings warns about late iterations only if there are enough samples", () => {
  const [open] = BUSY.scenarios;
  const lag = open.schedule_lag_us!;
  const late = (
    p99: number,
    { count = 497, scheduled = 50, med = 4, environment = BUSY.environment }: {
      count?: number;
      scheduled?: number;
      med?: number;
      environment?: Summary["environment"];
    } = {},
  ) => {
    const scenarios = [{ ...open, schedule_lag_us: { ...lag, count, "p(99)": p99 * 1_000 } }];
    const timeline = BUSY.timeline.map((point) => ({ ...point, scheduled }));
    const http_req_duration = { ...lag, med };
    const metrics = { ...EMPTY.metrics, http_req_duration };
    const summary = { ...EMPTY, scenarios, timeline, metrics, environment };
    const texts = runWarnings(summary).map(({ text }) => text);
    return texts.find((text) => text.startsWith("iterations started late"));
  };
  assertEquals(
    late(22),
    "iterations started late (p99 22ms, with 20ms between two iterations and a median response " +
      "time of 4ms): the load generator could not keep up; try more `--workers` or more machines",
  );
  assertEquals(late(22, { count: 99 }), undefined, "too few samples");
  assertEquals(late(22, { scheduled: 10 }), undefined, "less than an interval");
  assertEquals(late(22, { med: 300 }), undefined, "little against the response time");
  assertEquals(late(9, { scheduled: 1_000 }), undefined, "less than 10 ms");
  const facts = { version: "0.1.0", plan: "plan.yaml", targets: [], options: [], cores: 4 };
  assertMatch(late(22, { environment: { ...facts, workers: 1 } })!, /try `--workers 4` if /);
  const busy = late(22, { environment: { ...facts, workers: 4 } })!;
  assertMatch(busy, /all cores of this machine were in use; try more machines$/);
});

Deno.test("runWarnings warns about VUs that started late or not at all", () => {
  const [open] = BUSY.scenarios;
  const warnings = (start_delay_ms: number, unstarted_vus: number, duration_ms: number) => {
    const scenario = { ...open, schedule_lag_us: null, dropped: 0, interrupted: 0, max_vus: 5_000 };
    const late = { ...scenario, start_delay_ms, ...(unstarted_vus > 0 && { unstarted_vus }) };
    return runWarnings({ ...EMPTY, ending: "finished", duration_ms, scenarios: [late] })
      .map(({ text }) => text);
  };
  const reason = "the load generator could not keep up; start them gradually with `ramping-vus`; " +
    "try more `--workers` or more machines";
  assertEquals(warnings(250, 0, 2_000), [`VUs started late (up to 250ms): ${reason}`]);
  assertEquals(warnings(1_000, 4_000, 1_100), [
    `4,000 of 5,000 VUs did not start within 1s: ${reason}`,
  ]);
  assertEquals(warnings(64, 4_920, 50), [
    `4,920 of 5,000 VUs did not start within 64ms: ${reason}`,
  ]);
  assertEquals(warnings(64, 499, 500), [], "less than a tenth of the VUs");
  assertEquals(warnings(99, 0, 500), [], "less than 100 ms");
  assertEquals(warnings(400, 0, 10_000), [], "little against the duration");
  assertEquals(warnings(1_001, 0, 3_600_000).length, 1, "more than 1 s");
  const line = renderSummary({
    ...EMPTY,
    scenarios: [{ ...open, schedule_lag_us: null, max_vus: 5_000, unstarted_vus: 4_000 }],
  }, PLAIN);
  assertMatch(line, / 1,000\n/);
});

Deno.test("renderSummary lists failures with their messages, and states how many it does not list", () => {
  const failure = (name: string, kind?: ErrorKind): NonNullable<Summary["failures"]>[number] => ({
    ...{ name, kind, scenario: "s", group: "", method: "GET", status: 500, count: 3 },
    ...(kind && { message: `${kind} failed` }),
  });
  const lines = (failures: Summary["failures"]) =>
    renderSummary({ ...EMPTY, endpoints: [{ ...BUSY.endpoints[0], count: 12 }], failures }, PLAIN)
      .split("\n").map((line) => line.trim().replaceAll(/  +/g, " | "));
  assertEquals(
    lines([failure("b", "template"), failure("a", "timeout"), failure("c")]).slice(0, 7),
    [
      "Failures",
      "Request | Status | Error | Count | Share",
      "a | 500 | timeout | 3 | 25.00%",
      "timeout failed",
      "c | 500 | status | 3 | 25.00%",
      "b | 500 | template | 3 | 25.00%",
      "template failed",
    ],
  );
  const many = Array.from({ length: 11 }, (_, i) => failure(`e${i}`));
  assertEquals(lines(many).slice(6, 8), ["e4 | 500 | status | 3 | 25.00%", "and 6 more rows"]);
  assertEquals(lines(many.slice(1)).some((line) => line.includes(" more")), false);
});

Deno.test("renderSummary writes a name that does not fit into its column on a separate line", () => {
  const name = `GET /api/v1/customers/\${vars.id}/orders/open/items`;
  const endpoint = {
    ...BUSY.endpoints[0],
    name,
    count: 1_000,
    failed: 100,
    statuses: { 500: 100 },
  };
  const summary: Summary = {
    ...EMPTY,
    thresholds: [{ ...BUSY.thresholds[0], metric: `http_req_duration{name:${name}}` }],
    checks: [{ ...BUSY.checks[0], requests: [], name: `${name} returns 200` }],
    metrics: { [`http_req_duration{name:${name}}`]: BUSY.metrics.http_req_duration },
    endpoints: [endpoint],
  };
  const lines = renderSummary(summary, PLAIN).split("\n");
  assertEquals(lines.filter((line) => line.includes(name)).length, 4);
  for (const line of lines) assert(textWidth(line) <= 80, line);
  const after = (text: string) => lines[lines.findIndex((line) => line.includes(text)) + 1].trim();
  assertEquals(after(`http_req_duration{name:${name}}`), "p(95)<400  21.6ms");
  assertEquals(after(`${name} returns 200`), "4,896     104     97.92%");
  assertEquals(lines[lines.indexOf(`  ${name}`) + 1].trim(), "1,000  4.1ms  20.5ms  49.2ms  164ms");
});

Deno.test("renderSummary lists the requests in which a check failed", () => {
  const status = { name: "ok", scenario: "s", group: "::shop" };
  const request = (name: string, passes: number, fails: number) => ({ name, passes, fails });
  const lines = (...requests: ReturnType<typeof request>[]) => {
    const sum = (of: "passes" | "fails") => requests.reduce((sum, one) => sum + one[of], 0);
    const check = { ...status, passes: sum("passes"), fails: sum("fails"), requests };
    return renderSummary({ ...EMPTY, checks: [check] }, PLAIN).split("\n").slice(2, -4)
      .filter(Boolean).map((line) => line.trim().replaceAll(/  +/g, "  "));
  };
  assertEquals(
    lines(request("a", 3, 0), request("b", 0, 3), request("c", 1, 2), request("d", 1, 0)),
    [
      "✗  shop › b › ok  0  3  0.00%",
      "✗  shop › c › ok  1  2  33.33%",
      "✓  shop › 2 other requests › ok  4  0  100.00%",
    ],
  );
  assertEquals(lines(request("a", 0, 3)), ["✗  shop › a › ok  0  3  0.00%"]);
  assertEquals(lines(request("a", 3, 0), request("b", 0, 0)), ["✓  shop › ok  3  0  100.00%"]);
});

Deno.test("renderSummary lists failed checks first, and states how many checks it does not list", () => {
  const check = (name: string, passes: number, fails: number) => ({
    scenario: "browse",
    group: "",
    name,
    passes,
    fails,
    requests: [],
  });
  const good = Array.from({ length: 30 }, (_, i) => check(`good ${i}`, 1, 0));
  const bad = Array.from({ length: 25 }, (_, i) => check(`bad ${i}`, 1, 1));
  const idle = check("idle", 0, 0);
  const render = (checks: Summary["checks"]) => renderSummary({ ...EMPTY, checks }, PLAIN);
  const few = render([...good, bad[7], idle]).split("\n");
  assertMatch(few[2], /✗ {2}bad 7/);
  assertMatch(few[3], /– {2}idle .*not evaluated/);
  assertMatch(few[4], /✓ {2}good 0/);
  assertEquals(few[22], "  and 12 more checks: 12 passed");
  assertStringIncludes(
    render([...good, idle, ...bad]),
    "\n  and 36 more checks: 5 failed, 1 not evaluated, 30 passed\n",
  );
  assertStringIncludes(
    render([...bad.slice(0, 20), idle]),
    "  and 1 more check: 1 not evaluated\n",
  );
  assertEquals(render(bad.slice(0, 20)).includes("more check"), false);
});

Deno.test("renderSummary shows the maximum number of VUs, and the last value of other gauges", () => {
  const metrics = { vus: BUSY.metrics.vus, queue: BUSY.metrics.vus };
  const text = renderSummary({ ...EMPTY, metrics }, PLAIN);
  assertMatch(text, /\n {2}vus +12 {2}max; min=1, last=3\n/);
  assertMatch(text, /\n {2}queue +3 {2}last; min=1, max=12\n/);
});

Deno.test("runWarnings reports dropped iterations of a scenario with a single VU", () => {
  const scenarios = [{ ...BUSY.scenarios[0], interrupted: 0, max_vus: 1 }];
  const [{ text }] = runWarnings({ ...EMPTY, scenarios });
  assertStringIncludes(text, "dropped (0.60%): the only VU was busy; raise `max_vus`");
});

Deno.test("renderSummary lists the submetrics of a metric directly after it", () => {
  const { http_req_duration: trend, vus } = BUSY.metrics;
  const text = renderSummary({
    ...EMPTY,
    metrics: {
      vus_max: vus,
      "vus{scenario:b}": vus,
      "vus{scenario:a}": vus,
      vus,
      login_page: trend,
      "login{name:x}": trend,
      login: trend,
    },
  }, PLAIN);
  const names = [...text.matchAll(/^ {2}((?:vus|login)\S*)/gm)];
  assertEquals(names.map(([, name]) => name), [
    ...["vus", "vus{scenario:a}", "vus{scenario:b}", "vus_max"],
    ...["login", "login{name:x}", "login_page"],
  ]);
});

Deno.test("renderSummary shortens names only if they do not fit into the terminal", () => {
  const name = `POST /${"checkout/".repeat(12)}`;
  const text = (width: number) =>
    renderSummary({
      ...EMPTY,
      thresholds: [{ ...BUSY.thresholds[0], metric: `http_req_duration{name:${name}}` }],
      metrics: { [`http_req_duration{name:${name}}`]: BUSY.metrics.http_req_duration },
      endpoints: [{ ...BUSY.endpoints[0], name }],
    }, { color: false, width });
  assertEquals(text(1_000).split(name).length, 4);
  assertEquals(text(80).includes(name), false);
  assertMatch(text(80), /\n {2}POST \/checkout\/.*….*\/checkout\/\n/);
  // The shortened name fills the line.
  const lines = text(80).split("\n");
  assertEquals(textWidth(lines[2]), 80);
});

Deno.test("renderSummary ends with the name and the verdict in terminals of any width", () => {
  const name = "Shop, Friday evening peak, all regions";
  const last = (width: number) =>
    renderSummary({ ...BUSY, name }, { color: false, width }).split("\n").slice(-4, -1);
  const verdict = "✗ FAILED 1 of 5 thresholds";
  assertEquals(last(80), ["", `${name}: ran 10s, seed 42`, verdict]);
  assertEquals(last(50), [name, "ran 10s, seed 42", verdict]);
});

Deno.test("renderSummary adds the scenario to the names of endpoints that occur in several scenarios", () => {
  const [{ name }] = BUSY.endpoints;
  const endpoints = ["one", "two"].map((scenario) => ({ ...BUSY.endpoints[0], scenario }));
  const render = (list: Summary["endpoints"]) =>
    renderSummary({ ...EMPTY, endpoints: list }, PLAIN);
  assertEquals(render(endpoints).split(`  two: ${name.slice(0, 9)}`).length, 2);
  assertEquals(render([endpoints[0], endpoints[0]]).includes("one: "), false);
});

Deno.test("renderSummary makes hostile text safe for terminals", () => {
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

Deno.test("renderSummary aligns text with wide characters by its width in columns", () => {
  const [first, ...others] = BUSY.endpoints;
  const wide = {
    ...BUSY,
    name: "日".repeat(60),
    endpoints: [{ ...first, name: "語".repeat(70) }, ...others],
  };
  const lines = renderSummary(wide, { color: false, width: 80 }).split("\n");
  for (const line of lines) assert(textWidth(line) <= 80, line);
  // The header, a row, the long name on its own line, and its values.
  const [head, row, name, values] = lines.slice(lines.indexOf("Slowest endpoints") + 1);
  assertEquals(new Set([head, row, values].map(textWidth)).size, 1);
  assertMatch(name, /^ {2}語+…語+$/);
});

Deno.test("runWarnings warns about requests without a response if they can change the p99", () => {
  const texts = (statuses: Record<string, number>) => {
    const count = Object.values(statuses).reduce((sum, n) => sum + n, 0);
    const endpoints = [{ ...BUSY.endpoints[0], count, statuses }];
    return runWarnings({ ...EMPTY, endpoints }).map(({ text }) => text);
  };
  const text = (requests: string) =>
    `${requests} got no response; their durations count toward the response times and thresholds`;
  assertEquals(texts({ "200": 55_000, "0": 26_156 }), [text("26,156 of 81,156 requests")]);
  assertEquals(texts({ "0": 1 }), [text("1 of 1 request")]);
  assertEquals(texts({ "200": 99, "0": 1 }), [text("1 of 100 requests")]);
  assertEquals(texts({ "200": 100, "0": 1 }), [], "less than 1%");
  assertEquals(texts({ "200": 100 }), []);
  assertEquals(runWarnings(EMPTY), []);
});

Deno.test("runWarnings warns if a rate limit refused many requests", () => {
  const texts = (status: number, count: number) => {
    const failure = { scenario: "main", group: "", name: "GET /", method: "GET", status, count };
    const endpoints = [{ ...BUSY.endpoints[0], count: 1_000 }];
    return runWarnings({ ...EMPTY, endpoints, failures: [failure] }).map(({ text }) => text);
  };
  assertEquals(texts(429, 10), [
    "a rate limit refused 10 of 1,000 requests (status 429): the metrics describe the limit, not " +
    "the capacity of the server; lower the rate, or exempt the load generator from the limit",
  ]);
  assertEquals(texts(429, 9), [], "less than 1%");
  assertEquals(texts(503, 500), [], "an overload");
});

Deno.test("renderSummary lists the errors of unsent requests after their likely causes", () => {
  const error = (kind: ErrorKind, name: string, count: number) => (
    { kind, scenario: "main", name, count, message: `${kind} failed` }
  );
  const errors = [
    error("template", "GET /cart", 40),
    error("extract", "POST /login", 5),
    error("timeout", "GET /", 9),
  ];
  const text = renderSummary({ ...EMPTY, errors }, { color: false, width: 80 });
  const lines = text.split("\n").filter((line) => / failed$/.test(line));
  assertEquals(lines.map((line) => line.trim().split(" ")[0]), ["extract", "timeout", "template"]);
  const html = printHtml([errorSection({ errors, failures: [] })]).text;
  assert(html.indexOf("POST /login") < html.indexOf("GET /cart"));
});

Deno.test("runWarnings states the limit on open files if connections failed because of it", () => {
  const texts = (kind: ErrorKind, message: string) => {
    const errors = [{ kind, scenario: "main", name: "GET /", count: 3, message }];
    return runWarnings({ ...EMPTY, errors }).map(({ text }) => text);
  };
  const [text] = texts("connect", "cannot connect to a:80: Too many open files (os error 24)");
  assertStringIncludes(text, "the load generator, not the server, reached its limit on open files");
  assertStringIncludes(text, "`ulimit -n`");
  assertEquals(texts("connect", "connect EMFILE 127.0.0.1:80").length, 1);
  assertEquals(texts("connect", "no route to host (os error 113)"), []);
  assertEquals(texts("assert", "HTTP 500: too many open files").length, 0, "the server said so");
});
