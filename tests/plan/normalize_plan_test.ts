import { assertEquals } from "@std/assert";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";

// Plans in the forms that loadr's examples use. The strings are our own.
const scenario = (flow: string, load = "executor: constant-vus, vus: 2, duration: 30s") => `
name: forms
description: plans in the forms of loadr
defaults:
  http: {base_url: "https://shop.example", timeout: 10s, cookies: true, headers: {X-Run: load}}
  tags: {team: shop}
scenarios:
  main: {${load}, flow: [${flow}]}
`;
const get = "{request: {name: home, url: /}}";

const ACCEPTED: Readonly<Record<string, string>> = {
  "checks and thresholds": scenario(
    "{request: {name: get, method: GET, url: /get, checks: [{type: status, equals: 200}, " +
      "{type: duration, name: fast enough, max: 800ms}, {type: status, one_of: [200, 201]}]}}",
  ) + 'thresholds: {http_req_duration: ["p(95)<1000"], checks: ["rate>=1.0"]}\n',
  "ramping VUs with think time": scenario(
    get,
    "executor: ramping-vus, start_vus: 0, stages: [{duration: 2m, target: 50}, {duration: 1m, target: 0}], " +
      "graceful_ramp_down: 15s, think_time: {type: uniform, min: 1s, max: 4s}",
  ),
  "a Gaussian think time and a constant one": scenario(
    `${get}, {think_time: {type: constant, duration: 1s}}`,
    "executor: per-vu-iterations, vus: 1, iterations: 1, start_time: 2m, " +
      "think_time: {type: gaussian, mean: 2s, std_dev: 500ms}",
  ),
  "arrival rates": scenario(
    get,
    "executor: ramping-arrival-rate, start_rate: 20, time_unit: 1s, pre_allocated_vus: 10, " +
      "max_vus: 50, stages: [{duration: 10s, target: 200}]",
  ) + "thresholds: {dropped_iterations: ['count<10']}\n",
  "rows of a CSV file": scenario(
    '{request: {method: POST, url: /login, body: {form: {user: "${data.users.name}"}}, ' +
      'extract: [{type: jsonpath, name: token, expression: "$.token"}], ' +
      'assert: [{type: jsonpath, expression: "$.token", exists: true}]}}, ' +
      '{request: {url: /me, headers: {Authorization: "Bearer ${token}"}, ' +
      'checks: [{type: jsonpath, name: same, expression: "$.n", equals: "${data.users.name}"}]}}',
  ) + "data: {users: {type: csv, path: users.csv, mode: shared, on_eof: stop}}\n",
  "extractors of every kind": scenario(
    "{request: {url: /, extract: [" +
      '{type: css, name: csrf, expression: "input[name=csrf]", attribute: value}, ' +
      "{type: boundary, name: trace, left: 'data-trace=\"', right: '\"', default: none}, " +
      "{type: header, name: id, header: X-Request-Id}, " +
      "{type: xpath, name: rate, expression: \"//*[local-name()='Rate']/text()\"}], " +
      "checks: [{type: xpath, expression: \"//*[local-name()='Rate']\", exists: true}, " +
      "{type: body_contains, name: ack, value: ok}]}}",
  ),
  "groups, JSON and multipart bodies": scenario(
    '{group: {name: cart, steps: [{request: {url: /cart, method: POST, body: {json: {sku: "W-1"}}}}]}}, ' +
      "{request: {method: POST, url: /files, timeout: 120s, body: {multipart: " +
      '[{name: title, value: "report-${vu}"}, ' +
      "{name: file, file: users.csv, filename: a.txt, content_type: text/plain}]}}}",
  ),
  "overlays, secrets and variables": scenario(
    '{request: {url: "/${vars.tenant}", headers: {X-Key: "${secrets.key}"}}}',
  ) + `
variables: {tenant: acme}
secrets: {key: {env: KEY}}
env:
  staging:
    defaults: {http: {base_url: "https://staging.example", tls: {insecure_skip_verify: true}}}
    scenarios: {main: {vus: 1, duration: 10s}}
  ci: {thresholds: {http_req_duration: ["p(95)<5000"]}}
`,
  "outputs, and a threshold that ends the run": scenario(get) + `
outputs:
  - {type: prometheus, listen: "127.0.0.1:9091"}
  - {type: json, path: samples.jsonl}
  - {type: otlp, endpoint: "http://127.0.0.1:4318"}
thresholds: {http_req_failed: [{threshold: "rate<0.02", abort_on_fail: true, delay_abort_eval: 2m}]}
`,
  "objectives as thresholds, and thresholds as text": scenario(get) +
    'thresholds: {http_req_duration: ["slo(99%) < 300ms", "slo(99.9%) < 1s"], http_req_failed: rate<0.01}\n',
  "foreach and retry": scenario(
    "{foreach: {items: [1, 2], var: item, steps: [" + get + "]}}, " +
      "{retry: {times: 3, until: {type: status, equals: 200}, steps: [" + get + "]}}",
  ),
};

/** Syntax that plans reject, each with the code of the first error and the last key in its path. */
const REJECTED: Readonly<Record<string, readonly [text: string, code: string, key: string]>> = {
  "JavaScript steps": [scenario("{js: \"session.add('x', 1)\"}"), "unknown-key", "js"],
  "scripts of a plan": [scenario(get) + "js: {file: a.js}\n", "unknown-key", "js"],
  "declared metrics": [
    scenario(get) + "metrics: {carts: {kind: counter}}\n",
    "unknown-key",
    "metrics",
  ],
  "protocols of a request": [
    scenario("{request: {url: /, protocol: ws, ws: {send: [a]}}}"),
    "unknown-key",
    "protocol",
  ],
  "plugins": [scenario(get) + "plugins: [{name: mqtt}]\n", "unknown-key", "plugins"],
};

for (const [form, text] of Object.entries(ACCEPTED)) {
  Deno.test(`a plan in loadr's syntax is accepted: ${form}`, () => {
    const { diagnostics } = loadPlan(text);
    assertEquals(diagnostics.filter(({ severity }) => severity === "error"), []);
  });
}

for (const [form, [text, code, key]] of Object.entries(REJECTED)) {
  Deno.test(`a plan in loadr's syntax is rejected with an error at the key: ${form}`, () => {
    const [first] = (loadPlan(text)).diagnostics.filter(({ severity }) => severity === "error");
    assertEquals([first.code, first.path.at(-1)], [code, key]);
  });
}

const plan = (foreach: string, retry: string, thresholds: string) => `
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow:
      - group:
          name: g
          steps:
            - random:
                choices:
                  - steps:
                      - foreach: {items: [1], ${foreach}, steps: [{think_time: 1s}]}
      - parallel:
          branches:
            - - retry: {${retry}, until: "true", steps: [{think_time: 1s}]}
thresholds:
  http_req_failed: ${thresholds}
`;
const OURS = plan("as: item", "attempts: 3", "[rate<0.1]");

Deno.test("a threshold that uses loadr's `slo` is read as a percentile", () => {
  const read = (thresholds: string) => {
    const { plan: read, diagnostics } = loadPlan(
      OURS.replace("http_req_failed: [rate<0.1]", `http_req_duration: ${thresholds}`),
    );
    assertEquals(diagnostics, []);
    return read!.thresholds;
  };
  const theirs = read(
    '["slo(99%) < 300ms", "slo(99.9)<1s", {threshold: "slo(50%) <= 100", abort_on_fail: true}]',
  );
  const ours = read(
    '["p(99) < 300ms", "p(99.9)<1s", {threshold: "p(50) <= 100", abort_on_fail: true}]',
  );
  assertEquals(theirs, ours);
});

Deno.test("a plan with loadr's names is read as the same plan, and printed with rehearse's names", () => {
  const ours = loadPlan(OURS);
  const theirs = loadPlan(plan("var: item", "times: 3", '"rate<0.1"'));
  assertEquals([...ours.diagnostics, ...theirs.diagnostics], []);
  assertEquals(theirs.plan, ours.plan);
  assertEquals(printPlan(theirs.plan!, []), printPlan(ours.plan!, []));
});

Deno.test("a step that contains both an alias and the name that the alias replaces causes an error", () => {
  const { diagnostics } = loadPlan(
    plan("as: a, var: b", "attempts: 3, times: 4", "[rate<1]"),
  );
  assertEquals(diagnostics.map(({ code, path }) => [code, path.at(-1)]), [
    ["unknown-key", "var"],
    ["unknown-key", "times"],
  ]);
});

Deno.test("an error in the value of an alias is reported at the line that contains the alias", () => {
  const { diagnostics } = loadPlan(plan("var: 1a", "times: 0", "[rate<1]"));
  assertEquals(diagnostics.map(({ code, line }) => [code, line]), [["bad-name", 14], [
    "bad-value",
    17,
  ]]);
});

Deno.test("a step named after an inherited property, such as toString, is rejected as an unknown step", () => {
  for (const name of ["valueOf", "toString", "__proto__"]) {
    const { diagnostics } = loadPlan(
      OURS.replace("- group:", `- ${name}: {}\n      - group:`),
    );
    assertEquals(diagnostics.map(({ code }) => code), ["unknown-key"]);
  }
});
