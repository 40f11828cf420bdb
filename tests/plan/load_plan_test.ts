import { assert, assertEquals, assertObjectMatch, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { UsageError } from "../../src/base/errors.ts";
import { planFiles } from "../../src/cli/input/read_documents.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { mergeEnv, mergeMaps, override, type Overrides } from "../../src/plan/override.ts";
import { printPlan } from "../../src/plan/print.ts";
import { formatPath } from "../../src/plan/rules/diagnostic.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { scenarioOf } from "../support/run_in_virtual_time.ts";

const PLANS = fromFileUrl(new URL("../../testdata/plans/", import.meta.url));
const BROKEN = `${PLANS}broken/`;

/** Returns one line per diagnostic, in the format of the `.expected` files of the broken plans. */
function faultsOf(path: string): string[] {
  const { plan, diagnostics } = loadPlan(Deno.readFileSync(path), { files: planFiles(path) });
  assertEquals(plan === undefined, diagnostics.some(({ severity }) => severity === "error"));
  return diagnostics.map(({ line, column, severity, code, path }) =>
    `${line}:${column} ${severity} ${code} ${formatPath(path)}`.trimEnd()
  );
}

for (const { name } of Deno.readDirSync(BROKEN)) {
  if (!name.endsWith(".yaml")) continue;
  Deno.test(`loadPlan reports every error in ${name} at its position`, () => {
    const expected = Deno.readTextFileSync(BROKEN + name.replace(/yaml$/, "expected"));
    assertEquals((faultsOf(BROKEN + name)).join("\n") + "\n", expected);
  });
}

Deno.test("a plan with every key has no diagnostics", () => {
  assertEquals(faultsOf(`${PLANS}every_key.yaml`), []);
});

Deno.test("loadPlan checks files only if the option `files` is set", () => {
  const plan = Deno.readTextFileSync(`${BROKEN}data.yaml`);
  const codes = (loadPlan(plan)).diagnostics.map(({ code }) => code);
  assert(!codes.includes("missing-file"));
});

Deno.test("loadPlan accepts a byte order mark", () => {
  const { plan } = loadPlan(Deno.readFileSync(`${PLANS}every_key.yaml`));
  const marked = "\ufeff" + Deno.readTextFileSync(`${PLANS}every_key.yaml`);
  assertEquals((loadPlan(marked)).plan, plan);
  assertEquals((loadPlan(new TextEncoder().encode(marked))).plan, plan);
});

Deno.test("loadPlan rejects VU counts and rates above the limits", () => {
  const errorsOf = (load: string) => {
    const plan = `scenarios: {s: {${load}, flow: [{request: {url: "http://t/"}}]}}`;
    return (loadPlan(plan)).diagnostics.map(({ code, path }) =>
      `${code} ${formatPath(path.slice(2))}`
    );
  };
  const arrivals = "duration: 1s, pre_allocated_vus: 1";
  const cases: [string, string[]][] = [
    ["executor: constant-vus, vus: 1000000, duration: 1s", []],
    ["executor: constant-vus, vus: 1000001, duration: 1s", ["bad-value vus"]],
    ["executor: ramping-vus, stages: [{duration: 1s, target: 1e9}]", [
      "bad-value stages[0].target",
    ]],
    [`executor: constant-arrival-rate, rate: 10000000, ${arrivals}`, []],
    [`executor: constant-arrival-rate, rate: 10000001, ${arrivals}`, ["bad-value rate"]],
    [`executor: constant-arrival-rate, rate: 1e8, time_unit: 1m, ${arrivals}`, []],
    [`executor: constant-arrival-rate, rate: 1, ${arrivals}, max_vus: 1e9`, ["bad-value max_vus"]],
    [
      "executor: ramping-arrival-rate, stages: [{duration: 1s, target: 1e9}], pre_allocated_vus: 1",
      ["bad-value stages[0].target"],
    ],
  ];
  for (const [load, errors] of cases) assertEquals(errorsOf(load), errors, load);
});

Deno.test("loadPlan lists at most 100 diagnostics and states how many are omitted", () => {
  const scenario = (i: number) => `  s${i}: {executor: nope, flow: [{request: {urll: /}}]}\n`;
  const { diagnostics } = loadPlan(
    "scenarios:\n" + Array.from({ length: 500 }, (_, i) => scenario(i)).join(""),
  );
  assertEquals(diagnostics.length, 101);
  assertEquals(diagnostics.at(-1)?.code, "too-many-diagnostics");
  assertEquals(diagnostics.at(-1)?.severity, "error");
  assert(diagnostics.at(-1)!.message.startsWith("900 more"), diagnostics.at(-1)!.message);
  assertEquals(diagnostics.slice(0, 100).every(({ severity }) => severity === "error"), true);
});

Deno.test("loadPlan reports the position of an error at the end of a plan of 2 MB", () => {
  const flow = Array.from(
    { length: 3_000 },
    (_, i) => ({ request: { url: `https://a/${i}/${"x".repeat(700)}` } }),
  );
  flow[2_999].request.url = "ftp://a/";
  const main = { executor: "constant-vus", vus: 1, duration: "1s", flow } as const;
  const text = printPlan({ scenarios: { main } } as Plan, []);
  assert(text.length > 2_000_000);
  const { diagnostics } = loadPlan(text);
  assertEquals(diagnostics.map(({ code, line, column, after }) => [code, line, column, after]), [
    ["bad-url", text.split("\n").length - 1, 16, "ftp://a/"],
  ]);
});

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

const flow = [{ request: { url: "/" } }];

/** Returns the keys of a scenario after `override`. `keys` is its executor and its other keys. */
function changed(keys: string, overrides: Overrides): unknown {
  const plan = { scenarios: { main: scenarioOf(keys, flow) } };
  const { flow: _, ...rest } = override(plan, overrides).scenarios.main;
  return rest;
}

Deno.test("`override` changes VUs, durations, iterations and rates of each executor", () => {
  const cases: [before: string, Overrides, after: string][] = [
    [
      "constant-vus, vus: 5, duration: 1m",
      { vus: 2, duration: "10s" },
      "constant-vus, vus: 2, duration: 10s",
    ],
    [
      "per-vu-iterations, vus: 1, iterations: 1",
      { vus: 2, iterations: 3, duration: "10s" },
      "per-vu-iterations, vus: 2, iterations: 3, max_duration: 10s",
    ],
    [
      "shared-iterations, vus: 1, iterations: 1, max_duration: 5m",
      { iterations: 30 },
      "shared-iterations, vus: 1, iterations: 30, max_duration: 5m",
    ],
    [
      "ramping-vus, stages: [{duration: 30s, target: 10}, {duration: 1m, target: 4}]",
      { vus: 5, duration: "9s" },
      "ramping-vus, start_vus: 0, stages: [{duration: 3, target: 5}, {duration: 6, target: 2}]",
    ],
    [
      "constant-arrival-rate, rate: 10, duration: 1m, pre_allocated_vus: 3",
      { rateScale: 2.5, duration: "10s" },
      "constant-arrival-rate, rate: 25, duration: 10s, pre_allocated_vus: 8, max_vus: 8",
    ],
    [
      "constant-arrival-rate, rate: 10, duration: 1m, pre_allocated_vus: 3, max_vus: 6",
      { rateScale: 0.5 },
      "constant-arrival-rate, rate: 5, duration: 1m, pre_allocated_vus: 3, max_vus: 6",
    ],
    [
      "ramping-arrival-rate, start_rate: 2, stages: [{duration: 10s, target: 20}], " +
      "pre_allocated_vus: 3, max_vus: 6",
      { rateScale: 3, vus: 50 },
      "ramping-arrival-rate, start_rate: 6, stages: [{duration: 10s, target: 60}], " +
      "pre_allocated_vus: 50, max_vus: 50",
    ],
  ];
  for (const [before, overrides, after] of cases) {
    assertEquals(changed(before, overrides), changed(after, {}));
  }
});

const PLAN: Plan = {
  variables: { id: "1", who: "ada" },
  defaults: { http: { timeout: "5s" }, tags: { team: "shop" } },
  scenarios: {
    browse: { executor: "constant-vus", vus: 1, duration: "1s", flow },
    buy: { executor: "per-vu-iterations", vus: 9, iterations: 7, tags: { a: 1 }, flow },
  },
  thresholds: { http_reqs: ["count>1000"] },
};

Deno.test("`override` sets the base URL and variables verbatim, and selects scenarios", () => {
  const before = structuredClone(PLAN);
  const plan = override(PLAN, {
    baseUrl: "http://127.0.0.1:8000/${x}",
    variables: new Map([["id", "${env.HOME}"]]),
    scenarios: ["buy"],
  });
  assertEquals(plan.defaults, {
    http: { timeout: "5s", base_url: "http://127.0.0.1:8000/$${x}" },
    tags: { team: "shop" },
  });
  assertEquals(plan.variables, { id: "$${env.HOME}", who: "ada" });
  assertEquals(Object.keys(plan.scenarios), ["buy"]);
  assertEquals(PLAN, before);
  assertEquals(override(PLAN, {}), PLAN);
});

Deno.test("`override` rejects options that have no effect on the plan", () => {
  const cases: [Overrides, string][] = [
    [
      { scenarios: ["brows"] },
      'no scenario brows: its scenarios are browse, buy; did you mean "browse"?',
    ],
    [
      { variables: new Map([["whom", "x"]]) },
      "no variable whom: its variables are id, who; did you mean",
    ],
    [{ baseUrl: "localhost:8000" }, "--base-url cannot be localhost:8000: expected a URL"],
    [{ duration: "soon" }, "--duration cannot be soon: expected a duration above 0, such as 30s"],
    [{ duration: "0s" }, "--duration cannot be 0s"],
    [{ rateScale: 2 }, "--rate-scale has no effect"],
    [{ iterations: 2, scenarios: ["browse"] }, "--iterations has no effect"],
  ];
  for (const [overrides, message] of cases) {
    assertThrows(() => override(PLAN, overrides), UsageError, message);
  }
});

Deno.test("`override` rejects options that exceed the limits on load", () => {
  const arrivals = "constant-arrival-rate, rate: 5e6, duration: 1s, pre_allocated_vus: 1";
  assertObjectMatch({ ...changed(arrivals, { rateScale: 2 }) as object }, { rate: 10_000_000 });
  assertThrows(
    () => changed(arrivals, { rateScale: 3 }),
    UsageError,
    "`scenarios.main.rate` too large: 15000000 exceeds the limit",
  );
  assertThrows(
    () => changed("constant-vus, vus: 1, duration: 1s", { vus: 1_000_001 }),
    UsageError,
    "`scenarios.main.vus` too large: 1000001 exceeds the limit of 1000000 VUs",
  );
});

Deno.test("mergeMaps treats keys such as `__proto__` like any other key", () => {
  const over = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}');
  const merged = mergeMaps({ a: 1 }, over) as Record<string, unknown>;
  assertEquals(Object.keys(merged), ["a", "__proto__", "constructor"]);
  assertEquals(({} as Record<string, unknown>).polluted, undefined);
});

const WITH_ENV = {
  name: "a",
  env: { staging: { name: "b" }, production: { defaults: { http: { base_url: "http://c" } } } },
  scenarios: {},
} as Plan;

Deno.test("mergeEnv merges an overlay into its plan and removes `env`", () => {
  assertEquals(mergeEnv(WITH_ENV, "staging"), { name: "b", scenarios: {} });
});

Deno.test("mergeEnv rejects an unknown overlay and lists the overlays of the plan", () => {
  assertThrows(
    () => mergeEnv(WITH_ENV, "stagin"),
    UsageError,
    'no overlay "stagin": the plan has staging, production; did you mean "staging"?',
  );
  assertThrows(() => mergeEnv({ scenarios: {} }, "a"), UsageError, "the plan has no `env`");
  assertThrows(() => mergeEnv(WITH_ENV, "toString"), UsageError, 'no overlay "toString"');
});

Deno.test("mergeEnv changes the plan's `Origin` and `Referer` headers to the new origin, but not the overlay's", () => {
  const headers = { Origin: "http://old", Referer: "http://old/a" };
  const plan = {
    env: {
      moved: { defaults: { http: { base_url: "https://${env.HOST}/api" } } },
      fixed: { defaults: { http: { base_url: "http://new", headers: { Origin: "http://old" } } } },
      same: { name: "b" },
    },
    defaults: { http: { base_url: "http://old", headers } },
    scenarios: {},
  } as Plan;
  const sent = (name: string) => (mergeEnv(plan, name)).defaults?.http?.headers;
  assertEquals(sent("moved"), {
    Origin: "https://${env.HOST}",
    Referer: "https://${env.HOST}/a",
  });
  assertEquals(sent("fixed"), { Origin: "http://old", Referer: "http://new/a" });
  assertEquals(sent("same"), headers);
});

Deno.test("`override` rejects a base URL with a query or fragment, which would have no effect", () => {
  for (const baseUrl of ["http://a.example/b?c=d", "http://a.example/#x"]) {
    assertThrows(
      () => override({ scenarios: {} }, { baseUrl }),
      UsageError,
      "--base-url cannot contain a query or fragment",
    );
  }
});
