import { assertEquals, assertStringIncludes } from "@std/assert";
import { OTHER_NOTES } from "../../src/convert/notes/notes.ts";
import { exportK6 } from "../../src/export/k6.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";

const OPTIONS = { plan: "plan.yaml", version: "0", filePath: (path: string) => path };

/** A plan with thresholds that k6 does not have, and with a setting that k6 does not have. */
const ODD = `
defaults: {http: {base_url: "http://t.example", hosts: {a.example: "unix:/x"}}}
data: {rows: {type: inline, rows: [{a: 1}], pick: shuffle}}
scenarios:
  main: {executor: per-vu-iterations, vus: 1, iterations: 1, flow: [{metric: {name: x, type: counter}}]}
thresholds:
  "http_reqs{name:a,error_kind:timeout}": [count<1]
  http_req_latency_corrected: [p(95)<1s]
  http_req_retries: [count<5]
  'checks{check:"a, b"}': [rate>0.9]
  x: [count>0]
  http_reqs: [count>0]
`;

/** Exports the plan whose YAML source is `text`. */
function exported(text: string) {
  const { plan, diagnostics } = loadPlan(text);
  assertEquals(diagnostics.filter(({ severity }) => severity === "error"), []);
  return exportK6(plan!, OPTIONS);
}

Deno.test("export k6 emits every note code", () => {
  const { notes } = exported(ODD);
  assertEquals(
    [...new Set(notes.map(({ code }) => code))].sort(),
    Object.keys(OTHER_NOTES).filter((code) => code.startsWith("k6-")).sort(),
  );
});

Deno.test("a script has what it cannot express as a comment with its YAML, and a note with the reason", () => {
  const { text, notes } = exported(`
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request:
          url: http://127.0.0.1/
          extract:
            - {type: jsonpath, name: long, expression: "$[?match(@.x, 'b')]"}
            - {type: jsonpath, name: deep, expression: "$..id"}
            - {type: jsonpath, name: key, expression: "$.x[?@.id == 'b']", take: key}
          checks:
            - {type: jsonpath, expression: "$[1:2]", count: 2}
            - {type: xpath, name: third, expression: "//a"}
            - {type: jsonpath, name: exported, expression: "$[?@.a == 1]", exists: true}
      - if: {condition: {type: css, expression: "a:is(.x)"}, then: [{request: {url: "http://ada:s3cret@127.0.0.1/x"}}]}
      - foreach: {items: [1], as: item, steps: [{request: {url: "http://127.0.0.1/\${item}"}}]}
      - during: {duration: 1s, steps: [{think_time: 1s}]}
      - metric: {name: count, type: counter}
      - request: {url: "http://127.0.0.1/\${date(vars.format)}"}
      - set: {hash: "\${hex(vars.format)}"}
variables: {format: iso}
`);
  assertEquals(
    notes.map(({ code, subject, message }) => [code, subject, message]),
    [
      ["long", "the filter of `$[?match(@.x, 'b')]` has a function or selects several values"],
      ["deep", "`$..id` selects several members"],
      ["key", "k6 has no names of members at `$.x[?@.id == 'b']`"],
      ["GET http://127.0.0.1/: jsonpath expression $[1:2] count 2", "`$[1:2]` has a slice"],
      ["GET http://127.0.0.1/: third", "k6 has no XPath such as `//a`"],
      ["main: if", "k6 may not support a pseudo-class in `a:is(.x)`"],
      ["main: foreach", "scripts have no `foreach`"],
      ["main: during", "scripts have no `during`"],
      ["main: metric", "scripts have no `metric`"],
      ["main: request", "the format or the offset of `${date(vars.format)}` is not a literal"],
      ["main: set", "scripts have no function `hex`"],
    ].map(([subject, message]) => ["k6-omitted", subject, message]),
  );
  for (
    const comment of [
      "  // - type: jsonpath\n  //   name: long\n",
      "  // - type: xpath\n  //   name: third\n",
      "  // - during:\n  //     duration: 1s\n",
      "//           url: http://ada:******@127.0.0.1/x\n",
    ]
  ) assertStringIncludes(text, comment);
  assertStringIncludes(text, "exported: (r) => query(r, ");
  assertEquals(text.includes("s3cret"), false);
});

Deno.test("a script omits thresholds that k6 cannot evaluate, and keeps the others", () => {
  const { text, notes } = exported(ODD);
  assertEquals(/ thresholds: (\{.*\}),$/m.exec(text)?.[1], '{ http_reqs: ["count>0"] }');
  assertEquals(
    notes.map(({ message }) => message).filter((one) => /has no metric|select/.test(one)),
    [
      'k6 cannot select the value "timeout" of the tag `error_kind`',
      "k6 has no metric `http_req_latency_corrected`",
      "k6 has no metric `http_req_retries`",
      'k6 cannot select the value "a, b" of the tag `check`',
      "k6 has no metric `x`",
    ],
  );
});

Deno.test("rates become whole numbers per time unit, as k6 requires", () => {
  const rates = (rate: string, unit: string) => {
    const { text } = exported(`
scenarios:
  main:
    executor: constant-arrival-rate
    rate: ${rate}
    time_unit: ${unit}
    duration: 10s
    pre_allocated_vus: 1
    flow: [{request: {url: "http://t.example/"}}]
`);
    return /rate: (\d+),\s+timeUnit: "(\w+)"/.exec(text)!.slice(1).join(" per ");
  };
  assertEquals(rates("20", "1s"), "20 per 1s");
  assertEquals(rates("2.5", "1s"), "25 per 10s");
  assertEquals(rates("0.0334605", "1s"), "334605 per 2777h46m40s");
  assertEquals(rates("0.1", "1m"), "1 per 10m");
  assertEquals(rates("1e-7", "1s"), "1 per 2777h46m40s");
  assertEquals(rates("1500.5", "500ms"), "15005 per 5s");
});

Deno.test("a note states each setting that a script does not have", () => {
  const { notes } = exported(`
defaults:
  http:
    base_url: http://t.example
    proxy: false
    connect_timeout: 1s
    version: http1
    hosts: {a.example: "unix:/x", b.example: 127.0.0.1}
    tls: {insecure_skip_verify: true, min_version: "1.3"}
data: {rows: {type: inline, rows: [{a: 1}], pick: shuffle}}
scenarios:
  first:
    executor: constant-vus
    vus: 1
    duration: 1s
    pacing: {iterations_per_second: 1}
    throttle: {requests_per_second: 2}
    flow: [{request: {url: /a, revalidate: 0.5}}]
  second:
    after: first
    executor: constant-arrival-rate
    rate: 1
    duration: 1s
    arrivals: poisson
    pre_allocated_vus: 1
    flow: [{request: {url: /b, sse: true, checks: [{type: status, equals: 200, name: ok}]}}]
thresholds:
  "checks{name:GET /b}": [rate>0.9]
`);
  assertEquals(notes.map(({ code, subject, message }) => [code, subject, message]), [
    ["k6-omitted", "GET /a", "k6 sends no conditional requests"],
    [
      "k6-changed",
      "GET /b",
      "k6 reads the whole response, not single events: set a short `timeout`",
    ],
    [
      "k6-omitted",
      "scenarios.first.pacing",
      "k6 does not limit the iterations of a VU: set `minIterationDuration`",
    ],
    ["k6-omitted", "scenarios.first.throttle", "k6 limits only the whole test: set `rps`"],
    ["k6-changed", "scenarios.second", "k6 starts iterations at equal intervals"],
    [
      "k6-omitted",
      "scenarios.second.after",
      "k6 cannot wait for another scenario: set its `startTime`",
    ],
    [
      "k6-omitted",
      "checks{name:GET /b}",
      'k6 cannot select the value "GET /b" of the tag `name`',
    ],
    ["k6-omitted", "defaults.http.proxy", "set HTTP_PROXY and HTTPS_PROXY for k6"],
    ["k6-omitted", "defaults.http.connect_timeout", "k6 has only `timeout`"],
    [
      "k6-omitted",
      "defaults.http.version",
      "k6 negotiates the version, and HTTP/2 only over TLS",
    ],
    ["k6-omitted", "defaults.http.tls", "set `tlsAuth` and `tlsVersion`, or SSL_CERT_FILE"],
    ["k6-omitted", "defaults.http.hosts", "k6 cannot connect to a Unix socket"],
    ["k6-changed", "data.rows", "the rows are in their order in the data"],
  ]);
});
