import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { checkPlan } from "../../src/plan/check_plan.ts";
import { MAX_DEPTH } from "../../src/plan/parse_tree.ts";
import type { PlanFiles } from "../../src/plan/rules/check_context.ts";
import { type Diagnostic, DIAGNOSTIC_CODES, formatPath } from "../../src/plan/rules/diagnostic.ts";
import {
  type Aggregation,
  type Operator,
  parseSelector,
  parseThreshold,
} from "../../src/plan/rules/thresholds.ts";

const LOAD = { executor: "constant-vus", vus: 1, duration: "1s" };
const main = (flow: unknown[], more = {}) => ({ scenarios: { main: { ...LOAD, flow } }, ...more });
const request = (keys: object) => ({ request: { url: "http://a/", ...keys } });
const extracts = (...names: string[]) =>
  request({ extract: names.map((name) => ({ type: "header", name, header: "A" })) });
const line = ({ code, path, hint = "" }: Diagnostic) =>
  `${code} ${formatPath(path)} ${hint}`.trim();
const faults = (plan: unknown, files?: PlanFiles) => checkPlan(plan, { files }).map(line);
const codesOf = (plan: unknown) => checkPlan(plan).map(({ code }) => code as string);
/** Codes and paths of the faults. */
const placesOf = (plan: unknown) =>
  checkPlan(plan).map(({ code, path }) => `${code} ${formatPath(path)}`);
const bounded = (selector: string) => ({ thresholds: { [selector]: ["count>1"] } });

Deno.test("checkPlan accepts a plan with undefined values", () => {
  const plan = main([request({ headers: undefined, body: undefined })], { name: undefined });
  assertEquals(faults(plan), []);
});

Deno.test("checkPlan reports the use of a variable before it is set, including in groups and branches", () => {
  const use = request({ url: "http://a/${x}" });
  const flow = "scenarios.main.flow";
  const table: [unknown[], string[]][] = [
    [[extracts("x"), use], []],
    [[{ group: { name: "a", steps: [extracts("x")] } }, use], []],
    [[{ if: { condition: { type: "status", equals: 200 }, then: [extracts("x")] } }, use], []],
    [[{ random: { choices: [{ steps: [extracts("x")] }, { steps: [use] }] } }], []],
    [[{ parallel: { branches: [[extracts("x")], [use]] } }], []],
    [[{ foreach: { items: [1], as: "x", steps: [use] } }, use], []],
    [[use, extracts("x")], [`variable-too-early ${flow}[0].request.url`]],
    [[use], [`unknown-variable ${flow}[0].request.url`]],
    [[extracts("x"), request({ url: "http://a/${x}", extract: [] })], []],
    [[{ foreach: { items: "${x}", as: "x", steps: [use] } }], [
      `variable-too-early ${flow}[0].foreach.items`,
    ]],
    [[{ while: { condition: { var: "x", exists: false }, steps: [extracts("x")] } }], []],
    [[{ retry: { attempts: 2, until: { var: "x", equals: 1 }, steps: [extracts("x")] } }], []],
  ];
  for (const [steps, expected] of table) assertEquals(faults(main(steps)), expected);
});

Deno.test("checkPlan reports an unknown name in the argument of a template function", () => {
  const plan = main([request({
    url: "http://a/${base64(secrets.pw)}${url_encode(data.users.id)}${base64(vars.cred)}",
    headers: {
      A: "${base64(secrets.no)}",
      B: "${url_encode(data.users.no)}",
      C: "${base64(vars.no)}",
      D: "${base64(no)}",
      E: "${base64(vu)}${url_encode(env.ANY)}",
    },
  })], {
    variables: { cred: "a:b" },
    secrets: { pw: { env: "PW" } },
    data: { users: { type: "inline", rows: [{ id: 1 }] } },
  });
  const headers = "scenarios.main.flow[0].request.headers";
  assertEquals(placesOf(plan).sort(), [
    `unknown-column ${headers}.B`,
    `unknown-secret ${headers}.A`,
    `unknown-variable ${headers}.C`,
    `unknown-variable ${headers}.D`,
  ]);
});

Deno.test("checkPlan accepts a variable in default headers if any scenario sets it", () => {
  const defaults = { http: { headers: { Authorization: "Bearer ${token}", A: "${tokn}" } } };
  assertEquals(faults(main([extracts("token")], { defaults })), [
    'unknown-variable defaults.http.headers.A did you mean "token"?',
  ]);
});

Deno.test("checkPlan reports the other errors in a map whose discriminator is misspelled", () => {
  const plan = {
    scenarios: { main: { executor: "constant-vu", vus: 0, duration: "1s", flow: [1] } },
  };
  assertEquals(faults(plan), [
    'bad-value scenarios.main.executor did you mean "constant-vus"?',
    "bad-value scenarios.main.vus",
    "wrong-type scenarios.main.flow[0]",
  ]);
});

Deno.test("checkPlan states that an empty CSV file has no columns", () => {
  const files: PlanFiles = { exists: () => true, firstLine: () => "" };
  const data = { users: { type: "csv", path: "users.csv" } };
  const [{ message }] = checkPlan(
    main([request({ url: "http://a/${data.users.name}" })], { data }),
    { files },
  );
  assertEquals(message, 'data.users has no column "name": it has no columns');
});

Deno.test("checkPlan rejects a plan that is nested deeper than the maximum", () => {
  const json = (levels: number) => {
    let value: unknown = "${nowhere}";
    for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { a: value };
    return main([request({ body: { json: value } })]);
  };
  // Seven levels enclose it: the plan, scenarios, main, flow, item, request and body.
  assertEquals(codesOf(json(MAX_DEPTH - 7)), ["unknown-variable"]);
  assertEquals(codesOf(json(MAX_DEPTH - 6)), ["too-deep"]);
  assertEquals(codesOf(json(5_000)), ["too-deep"]);
  let step: unknown = request({ url: "http://a/${nowhere}" });
  for (let i = 0; i < 120; i++) step = { group: { name: "a", steps: [step] } };
  assertEquals(codesOf(main([step])), ["unknown-variable"]);
});

Deno.test("checkPlan lists the steps that can set an unknown variable", () => {
  const [{ message }] = checkPlan(main([{ request: { url: "http://a.test/${x}" } }]));
  assertEquals(message, "no earlier step sets `${x}`: expected an extractor, `set` or `foreach`");
});

Deno.test("checkPlan treats names of Object.prototype members like any other name", () => {
  const plan = JSON.parse(`{
    "variables": {"toString": 1, "__proto__": 2},
    "scenarios": {"__proto__": {"executor": "constant-vus", "vus": 1, "duration": 1, "flow": [
      {"request": {"url": "http://a/\${vars.toString}\${vars.__proto__}\${vars.valueOf}\${data.constructor.name}"}}
    ]}, "constructor": 1},
    "constructor": 1
  }`);
  assertEquals(placesOf(plan), [
    "unknown-key constructor",
    "unknown-variable scenarios.__proto__.flow[0].request.url",
    "unknown-data scenarios.__proto__.flow[0].request.url",
    "wrong-type scenarios.constructor",
  ]);
});

Deno.test("checkPlan warns about a threshold on a tag value that no sample of the plan can have", () => {
  const home = request({ name: "home", method: "PUT", tags: { team: "a" } });
  const flow = [
    { group: { name: "login", steps: [home] } },
    request({ body: "x", checks: [{ type: "status", equals: 200 }] }),
  ];
  const valid = [
    ...["name:home", "name:POST http://a/", "method:PUT", "method:POST", "group:::login", "group:"],
    ...["status:200", "status:0", "team:a", "scenario:main", "error_kind:dns"],
  ];
  for (const tags of valid) {
    assertEquals(faults(main(flow, bounded(`http_reqs{${tags}}`))), [], tags);
  }
  const thresholds = { "checks{check:status equals 200}": ["rate>0"] };
  assertEquals(faults(main(flow, { thresholds })), []);
  const invalid = [
    ...["name:homee", "method:GET", "group:login", "status:abc", "team:b", "tem:a", "scenario:man"],
  ];
  for (const tags of invalid) {
    assertEquals(codesOf(main(flow, bounded(`http_reqs{${tags}}`))), ["selects-nothing"], tags);
  }
});

Deno.test("checkPlan warns about extracted variables that no step uses", () => {
  const extract = [{ type: "jsonpath", name: "id", expression: "$.id" }];
  const codes = (...steps: unknown[]) => codesOf(main([request({ extract }), ...steps]));
  assertEquals(codes(), ["unused-variable"]);
  assertEquals(codes(request({ url: "http://a/${id}" })), []);
  assertEquals(codes({ if: { condition: "id > 1", then: [request({})] } }), []);
  assertEquals(codes({ set: { next: "${id + 1}" } }), []);
  // The uses are unknown.
  assertEquals(codes(request({ url: "http://a/${none}" })), ["unknown-variable"]);
  const metric = { metric: "ids", type: "trend" };
  assertEquals(faults(main([request({ extract: [{ ...extract[0], into: metric }] })])), []);
  const overlay = { staging: { defaults: { http: { headers: { A: "${id}" } } } } };
  assertEquals(faults({ ...main([request({ extract })]), env: overlay }), []);
});

Deno.test("checkPlan warns about a regex extractor whose expression lacks the capture group to extract", () => {
  const extract = (expression: string, group?: number) =>
    codesOf(main([
      request({ extract: [{ type: "regex", name: "x", expression, group }] }),
      request({ url: "http://a/${x}" }),
    ]));
  assertEquals(extract("id=(\\d+)"), []);
  assertEquals(extract("id=\\d+", 0), []);
  assertEquals(extract("(a)|(b)", 2), []);
  assertEquals(extract("id=\\d+"), ["bad-regex"]);
  assertEquals(extract("(?:a)"), ["bad-regex"]);
  assertEquals(extract("(a)", 2), ["bad-regex"]);
});

Deno.test("checkPlan reports unknown names and invalid operands in expressions", () => {
  const codes = (body: string) => codesOf({ ...main([request({ body })]), variables: { n: 5 } });
  assertEquals(codes('${upper(vars.n) + "-" + vu}'), []);
  assertEquals(codes("${sha256(vars.m) + secrets.s}"), ["unknown-variable", "unknown-secret"]);
  assertEquals(codes("${data.u.id ?? 1}"), ["unknown-data"]);
  assertEquals(codes("${token + 1}"), ["unknown-variable"]);
  assertEquals(codes("${vars.n+1}"), ["unknown-variable"]);
  assertEquals(codes("${uuid(token)}"), []);
  assertEquals(codes('${vars.n matches "("}'), ["bad-regex"]);
  assertEquals(codes("${vars.n matches vars.n}"), ["bad-template"]);
  assertEquals(codes("${vars.n + 1}"), ["joins-texts"]);
  assertEquals(codes("${number(vars.n) + 1}"), []);
  assertEquals(codes("${vars.n * 2}"), []);
});

Deno.test("checkPlan reports uses of `setup` variables that no setup step sets", () => {
  const setup = [request({ extract: [{ type: "header", name: "token", header: "T" }] })];
  const use = main([request({ body: "${setup.token}" })]);
  assertEquals(faults({ ...use, setup }), []);
  assertEquals(faults({ ...use, setup, teardown: [request({ body: "${setup.tokn}" })] }), [
    'unknown-variable teardown[0].request.body did you mean "token"?',
  ]);
  assertEquals(faults(use).length, 1);
  assertEquals(faults({ ...main([request({ body: "${token}" })]), setup }).length, 1);
  assertEquals(faults({ ...use, setup: [...setup, request({ body: "${token}" })] }), []);
});

Deno.test("the left operand of ?? may be a variable that only a later step sets", () => {
  const first = request({ body: '${token ?? "none"}' });
  const second = request({ extract: [{ type: "header", name: "token", header: "T" }] });
  assertEquals(faults(main([first, second])), []);
  assertEquals(faults(main([first])).length, 1);
});

const DOCS = new URL("../../docs/diagnostics.md", import.meta.url);
const BROKEN = new URL("../../testdata/plans/broken/", import.meta.url);

Deno.test("docs/diagnostics.md explains every diagnostic code and no others", () => {
  const headings = Deno.readTextFileSync(DOCS).matchAll(/^### ([a-z0-9-]+)/gm);
  assertEquals([...headings].map(([, code]) => code).sort(), [...DIAGNOSTIC_CODES].sort());
});

Deno.test("testdata has a broken plan for every diagnostic code", () => {
  const shown = new Set<string>(["unreadable"]);
  for (const { name } of Deno.readDirSync(BROKEN)) {
    if (!name.endsWith(".expected")) continue;
    const text = Deno.readTextFileSync(new URL(name, BROKEN));
    for (const [, code] of text.matchAll(/^\S+ \w+ ([a-z0-9-]+)/gm)) shown.add(code);
  }
  assertEquals([...shown].sort(), [...DIAGNOSTIC_CODES].sort());
});

Deno.test("parseThreshold reads the threshold syntax of k6", () => {
  const table: [string, Aggregation, number | undefined, Operator, number, boolean][] = [
    ["p(95)<400", "p", 95, "<", 400, false],
    [" p(99.9) <= 1.5s ", "p", 99.9, "<=", 1_500, true],
    ["avg<1.5s", "avg", undefined, "<", 1_500, true],
    ["max<1m30s", "max", undefined, "<", 90_000, true],
    ["rate<0.01", "rate", undefined, "<", 0.01, false],
    ["rate>=.9", "rate", undefined, ">=", 0.9, false],
    ["count>1000", "count", undefined, ">", 1_000, false],
    ["count>1e3", "count", undefined, ">", 1_000, false],
    ["value!=-1", "value", undefined, "!=", -1, false],
    ["med==5", "med", undefined, "==", 5, false],
    ["min===5", "min", undefined, "==", 5, false],
  ];
  for (const [text, aggregation, percentile, operator, value, timed] of table) {
    const expected = { aggregation, operator, value, timed };
    const whole = percentile === undefined ? expected : { ...expected, percentile };
    assertEquals(parseThreshold(text), whole, text);
  }
});

Deno.test("parseThreshold rejects an invalid threshold and states the expected form", () => {
  const table: [string, string][] = [
    ["", "not a threshold"],
    ["p95<400", "such as p(95)<400"],
    ["p()<1", "not a percentile"],
    ["p(101)<1", "not a percentile"],
    ["p<1", "not a threshold"],
    ["avg(5)<1", "not a threshold"],
    ["average<1", 'unknown aggregation "average"'],
    ["constructor<1", 'unknown aggregation "constructor"'],
    ["avg 5", "not a threshold"],
    ["avg=5", "not a threshold"],
    ["avg<5x", '"5x" is not a value'],
    ["rate<1%", '"1%" is not a value: expected a share from 0 to 1 such as 0.01'],
    ["avg<1e999", "is not a value"],
    ["avg<1 and p(95)<2", "not a threshold"],
  ];
  for (const [text, message] of table) {
    assertThrows(() => parseThreshold(text), SyntaxError, message, text);
  }
});

Deno.test("for any text, parseThreshold returns a threshold or throws a SyntaxError", () => {
  const like = fc.string({ unit: fc.constantFrom(..."p(95)<>=! avgrate.1e-s") });
  fc.assert(fc.property(fc.oneof(like, fc.string()), (text) => {
    try {
      assertEquals(Number.isFinite(parseThreshold(text).value), true);
    } catch (error) {
      assertEquals(error instanceof SyntaxError, true);
    }
  }));
});

Deno.test("parseSelector rejects an invalid selector and states the expected form", () => {
  const table: [string, string][] = [
    ["", "not a selector"],
    ["{a:b}", "not a selector"],
    ["a{b:c", "not a selector"],
    ["a{b}", '"b" is not a tag'],
    ["a{b:c,d}", '"d" is not a tag'],
    ["a{:c}", "is not a tag"],
    ['a{b:"c}', "is not a tag"],
  ];
  for (const [text, message] of table) {
    assertThrows(() => parseSelector(text), SyntaxError, message, text);
  }
});
