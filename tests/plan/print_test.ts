import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import * as yaml from "yaml";
import { ExactNumber } from "../../src/base/exact_number.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { mergeEnv, withEveryChoice } from "../../src/plan/override.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { hostilePlan, hostileText } from "../builders/hostile_plan.ts";

/** Converts every number in a value to a double. */
function withDoubles(value: unknown): unknown {
  if (value instanceof ExactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDoubles(item)]));
}

/** Formats a plan as YAML and asserts that every YAML parser reads the same plan back. */
function assertReadsBack(plan: Plan, comment: string): void {
  const printed = printPlan(plan, [comment, "made for a test"]);
  assertEquals(withDoubles(parseYaml(printed)), plan);
  for (const version of ["1.1", "1.2"] as const) {
    const read = yaml.parseDocument(printed, { version, logLevel: "error" });
    assertEquals(read.errors, []);
    assertEquals(read.toJS(), plan, version);
  }
}

Deno.test("all YAML parsers read a printed plan back as the same plan", () => {
  fc.assert(fc.property(hostilePlan, hostileText, assertReadsBack));
});

Deno.test("a printed plan has no control characters", () => {
  fc.assert(fc.property(hostilePlan, hostileText, (plan, comment) => {
    const printed = printPlan(plan, [comment]).replaceAll("\n", "");
    assert(!/\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|\p{Noncharacter_Code_Point}/u.test(printed));
  }));
});

const scenarios: Plan["scenarios"] = {
  replayed_traffic: {
    flow: [{
      random: {
        choices: [{
          steps: [{ request: { url: "/orders/${vars.id}", method: "GET" } }],
          name: "GET /orders/${vars.id}",
          weight: 3,
        }],
        strategy: "weighted",
      },
    }],
    max_vus: 8,
    pre_allocated_vus: 4,
    duration: "10s",
    rate: 2.5,
    executor: "constant-arrival-rate",
  },
};

Deno.test("printPlan writes keys in schema order, and scalars without quotes where possible", () => {
  const plan: Plan = { scenarios, variables: { id: "1" }, name: "access log replay" };
  assertEquals(
    printPlan(plan, ["Made from a log.", "", "\x1b[31mred"]),
    `# Made from a log.
#
# \\x1b[31mred

name: access log replay
variables:
  id: "1"
scenarios:
  replayed_traffic:
    executor: constant-arrival-rate
    rate: 2.5
    duration: 10s
    pre_allocated_vus: 4
    max_vus: 8
    flow:
      - random:
          strategy: weighted
          choices:
            - weight: 3
              name: GET /orders/\${vars.id}
              steps:
                - request:
                    method: GET
                    url: /orders/\${vars.id}
`,
  );
});

Deno.test("printPlan writes deeply nested JSON so that it parses as the same value", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 450; i++) deep = i % 2 ? [deep, "no"] : { "a: b": deep };
  const plan = { scenarios: { deep } } as unknown as Plan;
  const printed = printPlan(plan, []);
  assertEquals(parseYaml(printed), plan);
  assertEquals(yaml.parse(printed), plan);
});

const PLAN = `
defaults:
  http: {base_url: "http://t", timeout: 1.0, max_redirects: 2.0, headers: {x: 1.10}}
  tags: {release: 1.10}
variables: {v: 9007199254740993}
env:
  big:
    variables: {v: 1.20}
    scenarios: {s: {rate: 20.0, max_vus: 3.0}}
scenarios:
  s:
    executor: constant-arrival-rate
    rate: 10.0
    duration: 2.0
    pre_allocated_vus: 1.0
    flow:
      - think_time: {type: uniform, min: 1.0, max: 2.0}
      - random: {choices: [{weight: 3.0, steps: [{request: {url: /, body: {json: {n: 1.0}}}}]}]}
`;

Deno.test("an error message about a number contains its exact text", () => {
  const { diagnostics } = loadPlan(PLAN + "name: 1.10\n");
  assertEquals(diagnostics.map(({ message, hint }) => [message, hint]), [
    ["expected text, found the number 1.10", "put it in quotes"],
  ]);
});

const SCALARS = `
variables: {zip: 01067, flag: True, version: 1.10, on: yes}
env: {other: {variables: {zip: 01068}, defaults: {tags: {n: 0o17}}}}
data: {users: {type: inline, rows: [{zip: 01067, ok: yes}]}}
scenarios:
  s:
    executor: constant-vus
    vus: 010
    duration: 1
    flow:
      - request:
          url: /
          params: {zip: 01067}
          headers: {X-Zip: 01067, X-On: yes, X-Hex: 0x1F, X-Big: 9007199254740993}
          body: {form: {zip: 01067, all: [007, No]}}
      - request: {url: /, body: {json: {mode: 0777, octal: 0o17, on: yes, off: "no", n: 1.10}}}
`;

Deno.test("a scalar without quotes is sent as written, and is otherwise read as YAML 1.2", async () => {
  const { plan, diagnostics } = await loadPlan(SCALARS);
  const { flow, ...scenario } = plan!.scenarios.s;
  assertEquals(
    JSON.stringify([plan!.variables, scenario, ...flow.map(({ request }) => request)]),
    '[{"zip":"01067","flag":"True","version":1.10,"on":"yes"},' +
      '{"executor":"constant-vus","vus":10,"duration":1},' +
      '{"url":"/","params":{"zip":"01067"},' +
      '"headers":{"X-Zip":"01067","X-On":"yes","X-Hex":"0x1F","X-Big":9007199254740993},' +
      '"body":{"form":{"zip":"01067","all":["007","No"]}}},' +
      '{"url":"/","body":{"json":{"mode":777,"octal":15,"on":"yes","off":"no","n":1.10}}}]',
  );
  const found = diagnostics.filter(({ code }) => code === "yaml-version")
    .map(({ line, column, message, hint }) => [line, column, message, hint]);
  const other = "in YAML 1.2, but not in YAML 1.1";
  assertEquals(found, [
    [
      4,
      43,
      `\`01067\` is the number 1067 ${other}`,
      "write `1067`, or put it in quotes if it is text",
    ],
    [4, 54, `\`yes\` is the text "yes" ${other}`, "put it in quotes"],
    [8, 10, `\`010\` is the number 10 ${other}`, "write `10`, or put it in quotes if it is text"],
    [
      16,
      47,
      `\`0777\` is the number 777 ${other}`,
      "write `777`, or put it in quotes if it is text",
    ],
    [16, 60, `\`0o17\` is the number 15 ${other}`, "write `15`, or put it in quotes if it is text"],
    [16, 70, `\`yes\` is the text "yes" ${other}`, "put it in quotes"],
  ]);
  const merged = await mergeEnv(plan!, "other");
  assertEquals(merged.variables?.zip, "01068");
  assertEquals(merged.defaults?.tags, { n: "0o17" });
  assertEquals(printPlan(plan!, []).includes("zip: 01068"), true);
});

function flowOf(flow: string) {
  const text = `
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow:
${flow.replace(/^/gm, "      ")}
`;
  const { plan, diagnostics } = loadPlan(text);
  assertEquals(diagnostics.filter(({ code }) => code !== "no-base-url"), []);
  return withEveryChoice(plan!).scenarios.main.flow;
}

const request = (url: string) => ({ request: { url } });

Deno.test("withEveryChoice finds random steps in every kind of step with nested steps", () => {
  const random =
    "{random: {choices: [{steps: [{request: {url: /a}}]}, {steps: [{request: {url: /b}}]}]}}";
  const both = ["/a", "/b"].map(request);
  const condition = "{type: status, equals: 200}";
  const flow = flowOf(`
- group: {name: g, steps: [${random}]}
- repeat: {times: 2, steps: [${random}]}
- if: {condition: ${condition}, then: [${random}], else: [${random}]}
- parallel: {branches: [[${random}], [${random}]]}
`);
  const [group, repeat, branch, parallel] = flow;
  assertEquals(group.group!.steps, both);
  assertEquals(repeat.repeat!.steps, both);
  assertEquals([branch.if!.then, branch.if!.else], [both, both]);
  assertEquals(parallel.parallel!.branches, [both, both]);
});

Deno.test("withEveryChoice omits choices that are never selected, and keeps JSON members named `random`", () => {
  const flow = flowOf(`
- random:
    choices:
      - {weight: 0, steps: [{request: {url: /never}}]}
      - {steps: [{request: {url: /a, method: POST, body: {json: [{random: {choices: []}}]}}}]}
- random:
    strategy: round_robin
    choices: [{weight: 0, steps: [{request: {url: /sometimes}}]}]
`);
  const [sent, second] = flow;
  assertEquals(flow.length, 2);
  assertEquals(sent.request!.body, { json: [{ random: { choices: [] } }] });
  assertEquals(second, request("/sometimes"));
});

Deno.test("withEveryChoice also replaces random steps in setup and teardown", () => {
  const flow = "[{random: {choices: [{steps: [{request: {url: http://t/a}}]}, " +
    "{steps: [{request: {url: http://t/b}}]}]}}]";
  const main =
    "{executor: constant-vus, vus: 1, duration: 1s, flow: [{request: {url: http://t/}}]}";
  const text = `setup: ${flow}\nteardown: ${flow}\nscenarios: {main: ${main}}\n`;
  const { plan, diagnostics } = loadPlan(text);
  assertEquals(diagnostics, []);
  const both = ["http://t/a", "http://t/b"].map(request);
  const changed = withEveryChoice(plan!);
  assertEquals([changed.setup, changed.teardown], [both, both]);
  const { setup: _, teardown: __, ...without } = plan!;
  assertEquals(Object.keys(withEveryChoice(without)), ["scenarios"]);
});
