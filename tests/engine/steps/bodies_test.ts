import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { jsonNumbers, TRICKY_NUMBERS } from "../../builders/json_numbers.ts";
import { runInVirtualTime, type TestRunOptions } from "../../support/run_in_virtual_time.ts";

/** Sends a request whose JSON body is defined by the YAML `json`, and returns the sent JSON. */
async function sent(json: string): Promise<string> {
  const { plan, diagnostics } = loadPlan(`
variables: {limit: 20, user: ada}
defaults: {http: {base_url: "http://t", version: http1}}
scenarios:
  s:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - set: {list: [1, {a: null}], flag: true}
      - request: {method: POST, url: /, body: {json: ${json}}}
`);
  assertEquals(diagnostics, []);
  const { sent } = await runInVirtualTime(plan!, { env: { E: "5" } });
  return sent.at(-1)!.body;
}

Deno.test("an expression that makes up a whole JSON string keeps its type, whether or not it is constant", async () => {
  const values: readonly [expression: string, json: string][] = [
    ["0.5 + 0.25", "0.75"],
    ["(1.10)", "1.10"],
    ["9007199254740993 + 1", "9007199254740994"],
    ["(true)", "true"],
    ["not true", "false"],
    ["(null)", "null"],
    ["env.NONE ?? null", "null"],
    ["1 < 2", "true"],
    ["length('abc')", "3"],
    ["upper('a')", '"A"'],
    ["'1' + 2", '"12"'],
    ["number(vars.limit) + 1", "21"],
    ["vars.limit", '"20"'],
    ["env.E", '"5"'],
    ["list", '[1,{"a":null}]'],
    ["flag", "true"],
    ["list[1].a ?? vu", "1"],
  ];
  for (const [expression, json] of values) {
    const text = JSON.stringify(`\${${expression}}`);
    assertEquals(await sent(text), json, expression);
    assertEquals(
      await sent(`{a: [${text}], b: {c: ${text}}}`),
      `{"a":[${json}],"b":{"c":${json}}}`,
    );
    assertEquals(await sent(JSON.stringify(`x\${${expression}}`)).then((sent) => sent[0]), '"');
  }
});

Deno.test("an expression in the name of a JSON member evaluates to text", async () => {
  assertEquals(await sent('{"${1 + 1}": 1}'), '{"2":1}');
});

const HEAD = `
defaults: {http: {base_url: "http://t", version: http1}}
scenarios:
  s:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
`;

function planOf(flow: string, head = ""): Plan {
  const { plan, diagnostics } = loadPlan(head + HEAD + flow);
  assertEquals(diagnostics, []);
  return plan!;
}

async function run(flow: string, options: TestRunOptions = {}, head = "") {
  const { sent, summary } = await runInVirtualTime(planOf(flow, head), options);
  return { last: sent.at(-1)!, checks: summary.checks, sent };
}

Deno.test("run sends an extracted number verbatim", async () => {
  const flow = `
      - request:
          url: /
          extract:
            - {type: jsonpath, name: a, expression: $.a}
            - {type: jsonpath, name: b, expression: "$..b"}
            - {type: jsonpath, name: c, expression: "$[?@.b]"}
            - {type: jsonpath, name: d, expression: $.d, transform: [trim]}
      - request:
          url: /\${a}/\${b}
          headers: {x: "\${a}", y: "\${url_encode(a)}"}
          body: {json: {a: "\${a}", b: "n\${b}", c: "\${c}", d: "\${d}"}}
`;
  const plan = planOf(flow);
  await fc.assert(
    fc.asyncProperty(jsonNumbers, fc.constantFrom("", " ", "\n"), async (number, space) => {
      const n = number + space;
      const body = `{"s":"1.10","a":${n},"x":{"b":${n},"l":[0.5,${n}]},"d":${n}}`;
      const { sent: [, { target, headers, body: sent }] } = await runInVirtualTime(plan, {
        respond: () => ({ body }),
      });
      assertEquals(target, `/${number}/${number}`);
      assertEquals([headers.x, headers.y], [number, encodeURIComponent(number)]);
      assertEquals(
        sent,
        `{"a":${number},"b":"n${number}","c":{"b":${number},"l":[0.5,${number}]},"d":"${number}"}`,
      );
    }),
  );
});

Deno.test("run sends numbers from the plan verbatim", async () => {
  for (const number of TRICKY_NUMBERS) {
    const { last } = await run(
      `
      - foreach:
          items: [${number}]
          as: item
          steps:
            - request:
                url: /\${vars.v}/\${data.rows.id}
                params: {p: ${number}, q: [${number}]}
                headers: {x: ${number}, y: "\${data.file.id}"}
                body:
                  json:
                    block: ${number}
                    flow: [${number}, {"n":${number}}, "${number}"]
                    item: "\${item}"
                    row: "\${data.rows.id}"
                    file: "\${data.file.id}"
`,
      { files: { "rows.json": `[{"id":${number}}]` } },
      `
variables: {v: ${number}}
data:
  rows: {type: inline, rows: [{id: ${number}}]}
  file: {type: json, path: rows.json}
`,
    );
    const encoded = encodeURIComponent(number);
    assertEquals(last.target, `/${number}/${number}?p=${encoded}&q=${encoded}`);
    assertEquals([last.headers.x, last.headers.y], [number, number]);
    assertEquals(
      last.body,
      `{"block":${number},"flow":[${number},{"n":${number}},"${number}"],` +
        `"item":${number},"row":${number},"file":${number}}`,
    );
  }
});

Deno.test("run sends numbers from forms and extractor defaults verbatim", async () => {
  const { last } = await run(`
      - request:
          url: /
          extract: [{type: jsonpath, name: v, expression: $.none, default: 9007199254740993}]
      - request: {url: "/\${v}", body: {form: {a: 1.10, b: [9007199254740993]}}}
`);
  assertEquals([last.target, last.body], ["/9007199254740993", "a=1.10&b=9007199254740993"]);
});

Deno.test("run sends numbers from a CSV file verbatim", async () => {
  const { last } = await run(
    '\n      - request: {url: "/${data.d.id}/${data.d.price}"}\n',
    { files: { "d.csv": "id,price\n1234567890123456789,1.10\n" } },
    "data: {d: {type: csv, path: d.csv}}",
  );
  assertEquals(last.target, "/1234567890123456789/1.10");
});

const EQUAL: readonly [a: string, b: string, equal: boolean][] = [
  ["1234567890123456789", "1234567890123456789", true],
  ["1234567890123456789", "1234567890123456700", false],
  ["9007199254740992", "9007199254740993", false],
  ["1", "1.0", true],
  ["1.10", "1.1", true],
  ["1e2", "100", true],
  ["0.1", "0.1000000000000000055", false],
  ["1e400", "1e400", true],
  ["1e400", "2e400", false],
  ["1e400", "10e399", true],
  ["-0", "0", true],
  ["100000000000000000000000", "1e23", true],
  ["-9007199254740993", "9007199254740993", false],
];

for (const [a, b, equal] of EQUAL) {
  Deno.test(`${a} ${equal ? "equals" : "does not equal"} ${b} in checks and conditions`, async () => {
    for (const [recorded, wanted] of [[a, b], [b, a]]) {
      const { checks, sent } = await run(
        `
      - request:
          url: /
          extract: [{type: jsonpath, name: id, expression: $.id}]
          checks:
            - {type: jsonpath, name: leaf, expression: $.id, equals: ${wanted}}
            - {type: jsonpath, name: tree, expression: $, equals: {id: ${wanted}}}
      - if:
          condition: {var: id, equals: ${wanted}}
          then: [{request: {url: /equal}}]
          else: [{request: {url: /different}}]
`,
        { respond: () => ({ body: `{"id":${recorded}}` }) },
      );
      assertEquals(checks.map(({ passes }) => passes), equal ? [1, 1] : [0, 0]);
      assertEquals(sent.at(-1)!.target, equal ? "/equal" : "/different");
    }
  });
}

Deno.test("run extracts a value from a JSON body with 100,000 nested levels", async () => {
  const body = `{"a":"x","n":1.0,"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const { last } = await run(
    `
      - request: {url: /, extract: [{type: jsonpath, name: a, expression: $.a}]}
      - request: {url: "/\${a}"}
`,
    { respond: () => ({ body }) },
  );
  assertEquals(last.target, "/x");
});
