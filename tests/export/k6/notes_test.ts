import { assertEquals, assertStringIncludes } from "@std/assert";
import { EXPORT_NOTE_KINDS } from "../../../src/convert/notes/export_codes.ts";
import { exportK6 } from "../../../src/export/k6/export_k6.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";

const OPTIONS = { plan: "plan.yaml", version: "0", filePath: (path: string) => path };

/** A plan that triggers the export notes that `every_key.yaml` does not trigger. */
const ODD = `
defaults: {http: {base_url: "http://t.example", proxy: false, version: http1, hosts: {a.example: "unix:/x"}}}
data: {users: {type: csv, path: users.csv, encoding: latin1}}
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request:
          url: "/a|b"
          extract:
            - {type: css, name: a, expression: "a:is(.x)"}
            - {type: jsonpath, name: b, expression: "$.list[?count(@.*) > 1]"}
            - {type: jsonpath, name: c, expression: "$.c"}
          checks: [{type: jsonpath, expression: "$[?match(@.x, 'a')]"}]
      - request: {method: OPTIONS, url: "*"}
      - group: {name: both, steps: [{parallel: {branches: [[{request: {url: /b}}]]}}]}
      - random: {strategy: round_robin, choices: [{steps: [{think_time: 1s}]}]}
      - metric: {name: x, type: counter}
      - set: {f: iso}
      - request: {url: "/\${date(f)}"}
thresholds:
  "http_reqs{name:a,error_kind:timeout}": [count<1]
  http_req_latency_corrected: [p(95)<1s]
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
  const every = new URL("../../../testdata/plans/every_key.yaml", import.meta.url);
  const notes = [
    ...(exported(Deno.readTextFileSync(every))).notes,
    ...(exported(
      ODD + `\n  "http_req_failed{name:b}": [rate<1]`.replace("b", "GET /b"),
    )).notes,
    ...(exported(DIGEST)).notes,
  ];
  assertEquals(
    [...new Set(notes.map(({ code }) => code))].sort(),
    Object.keys(EXPORT_NOTE_KINDS).sort(),
  );
});

Deno.test("export k6 adds a note for every check, condition and extractor that a script omits", () => {
  const { text, notes } = exported(`
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request:
          url: http://127.0.0.1/
          extract: [{type: jsonpath, name: long, expression: "$[?match(@.x, 'b')]"}]
          checks:
            - {type: jsonpath, name: first, expression: "$[?match(@.x, 'b')]", exists: true}
            - {type: jsonpath, name: second, expression: "$[?match(@.x, 'b')]", count: 2}
            - {type: jsonpath, expression: "$[?count($.y) > 1]", count: 2}
            - {type: xpath, name: third, expression: "//a"}
            - {type: jsonpath, name: exported, expression: "$[1:2]", exists: true}
      - if: {condition: {type: jsonpath, name: case, expression: "$[?match(@.x, 'a')]"}, then: [{request: {url: "http://127.0.0.1/x"}}]}
${
    Array.from({ length: 30 }, (_, i) =>
      `      - request: {url: "http://127.0.0.1/", checks: [{type: jsonpath, name: n${i}, expression: "$[?match(@.x, '${i}')]"}]}\n`)
      .join("")
  }`);
  const many = Array.from({ length: 30 }, (_, i) => `n${i}`);
  const omitted = [
    "long",
    "first",
    "second",
    "jsonpath expression $[?count($.y) > 1] count 2",
    "third",
    "case",
    ...many,
  ];
  assertEquals(
    notes.filter(({ message }) => message.includes("is not exported")).map(({ subject }) =>
      subject
    ),
    omitted,
  );
  for (const name of ["long", "first", "third", "case", ...many]) {
    assertStringIncludes(text, `// - warning: ${name}`);
  }
  assertStringIncludes(text, "exported: (r) =>");
  const messages = notes.filter(({ subject }) => ["first", "third", "case"].includes(subject))
    .map(({ message }) => message);
  assertEquals(messages, [
    "`$[?match(@.x, 'b')]` is not exported: the script omits the check of `GET http://127.0.0.1/`",
    "`//a` is not exported: the script omits the check of `GET http://127.0.0.1/`",
    "`$[?match(@.x, 'a')]` is not exported: the script treats the condition of the step as false",
  ]);
});

const DIGEST = `
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow: [{request: {url: "http://u:p@t.example/", auth: digest}}]
`;

Deno.test("a script omits thresholds that k6 cannot evaluate, and keeps the others", () => {
  const { text, notes } = exported(ODD);
  assertEquals(/ thresholds: (\{.*\}),$/m.exec(text)?.[1], "{ http_reqs: ['count>0'] }");
  assertEquals(
    notes.filter(({ code }) => code === "k6-threshold").map(({ message }) => message),
    [
      "k6 has no tag `error_kind`",
      "k6 has no metric `http_req_latency_corrected`",
      'k6 cannot select the value "a, b" of the tag `check`',
      "k6 has no metric `x`",
    ],
  );
});

Deno.test("an extractor that k6 does not support leaves its variable unset", () => {
  const { text } = exported(ODD);
  assertEquals(text.includes("b = undefined;"), true);
  assertEquals(text.includes("http.options(`${BASE_URL}/*`, null"), true);
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
    return /rate: (\d+),\s+timeUnit: '(\w+)'/.exec(text)!.slice(1).join(" per ");
  };
  assertEquals(rates("20", "1s"), "20 per 1s");
  assertEquals(rates("2.5", "1s"), "5 per 2s");
  assertEquals(rates("0.0334605", "1s"), "66921 per 555h33m20s");
  assertEquals(rates("0.1", "1m"), "1 per 10m");
  assertEquals(rates("1e-7", "1s"), "1 per 2777h46m40s");
  assertEquals(rates("1500.5", "500ms"), "3001 per 1s");
});

Deno.test("a script adds the tag `name` to checks if a threshold selects checks by that tag", () => {
  const code = (selector: string) => {
    const { text } = exported(`
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow: [{request: {url: "http://t.example/a", checks: [{type: status, equals: 200, name: ok}]}}]
thresholds:
  "${selector}": [rate>0.9]
`);
    assertStringIncludes(text, selector);
    return /^.*check\(res.*$/m.exec(text)?.[0].trim();
  };
  const check = "check(res, { ok: (r) => r.status === 200 }";
  assertEquals(code("checks{check:ok}"), `${check});`);
  const name = "GET http://t.example/a";
  assertEquals(code(`checks{name:${name}}`), `${check}, { name: '${name}' });`);
});

for (
  const [kind, step, comment] of [
    ["during", "{duration: 5s, steps: [{think_time: 1s}]}", "// - during:\n  //     duration: 5s"],
    ["metric", "{name: x, type: counter}", "// - metric:\n  //     name: x"],
  ]
) {
  Deno.test(`a script has a step of kind ${kind} only as a comment, with a note`, () => {
    const { text, notes } = exported(`
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow: [{${kind}: ${step}}, {request: {url: "http://t.example/"}}]
`);
    assertStringIncludes(text, comment);
    assertEquals(
      notes.map(({ code, subject, message }) => ({ code, subject, message })),
      [{
        code: "k6-step",
        subject: `main: ${kind}`,
        message: "the script has the step only as a comment",
      }],
    );
  });
}

Deno.test("a script does not show the password of a step that it omits", () => {
  const { text } = exported(`
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow: [{during: {duration: 1s, steps: [{request: {url: "http://ada:s3cret@t.example/"}}]}}]
`);
  assertEquals(text.includes("s3cret"), false);
});
