import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import * as yaml from "yaml";
import { ExactNumber, parseExactJson } from "../../src/base/exact_number.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { jsonNumbers } from "../builders/json_numbers.ts";
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

Deno.test("printPlan keeps every digit of JSON numbers", () => {
  fc.assert(fc.property(fc.array(jsonNumbers), (numbers) => {
    const text = `{"list":[${numbers.join(",")}],"map":{"n":${numbers[0] ?? 0}}}`;
    const json = parseExactJson(text);
    const plan = { variables: { json } } as unknown as Plan;
    assertEquals(JSON.stringify(parseYaml(printPlan(plan, []))), `{"variables":{"json":${text}}}`);
  }));
});

Deno.test("printPlan sorts the keys of a plan, and omits undefined values", () => {
  const request = { url: "/b", name: undefined, method: "GET" };
  const flow = [{ request }];
  const scenario = { flow, iterations: 1, vus: 1, executor: "per-vu-iterations" };
  const printed = printPlan({ scenarios: { main: scenario }, name: "a" } as unknown as Plan, []);
  assertEquals(
    printed,
    "name: a\nscenarios:\n  main:\n    executor: per-vu-iterations\n    vus: 1\n    iterations: 1\n" +
      "    flow:\n      - request:\n          method: GET\n          url: /b\n",
  );
});

Deno.test("printPlan prints all items of a long list in order", () => {
  const list = Array.from({ length: 10_000 }, (_, i) => i);
  const printed = printPlan({ variables: { json: { list } } } as unknown as Plan, []);
  assertEquals(parseYaml(printed), { variables: { json: { list } } });
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

Deno.test("printPlan omits undefined keys, and writes empty maps and lists in flow style", () => {
  const plan = { name: undefined, variables: {}, outputs: [], scenarios: {} };
  assertEquals(printPlan(plan, []), "variables: {}\nscenarios: {}\noutputs: []\n");
});

Deno.test("printPlan writes deeply nested JSON so that it parses as the same value", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 450; i++) deep = i % 2 ? [deep, "no"] : { "a: b": deep };
  const plan = { scenarios: { deep } } as unknown as Plan;
  const printed = printPlan(plan, []);
  assertEquals(parseYaml(printed), plan);
  assertEquals(yaml.parse(printed), plan);
});
