import { assertEquals } from "@std/assert";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";

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
