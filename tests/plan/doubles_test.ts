import { assertEquals } from "@std/assert";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import { mergeEnv } from "../../src/plan/override.ts";

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

Deno.test("withDoubles keeps the exact text of numbers only if they are sent", () => {
  const { plan, diagnostics } = loadPlan(PLAN);
  assertEquals(diagnostics, []);
  const expected = (rate: string, max: string, v: string) =>
    '{"defaults":{"http":{"base_url":"http://t","timeout":1,"max_redirects":2,' +
    '"headers":{"x":1.10}},"tags":{"release":1.10}},' + `"variables":{"v":${v}},` +
    `"scenarios":{"s":{"executor":"constant-arrival-rate","rate":${rate},"duration":2,` +
    `"pre_allocated_vus":1,"flow":[{"think_time":{"type":"uniform","min":1,"max":2}},` +
    '{"random":{"choices":[{"weight":3,"steps":[{"request":{"url":"/","body":{"json":{"n":1.0}}}}]}]}}]' +
    `${max}}}}`;
  assertEquals(JSON.stringify({ ...plan, env: undefined }), expected("10", "", "9007199254740993"));
  assertEquals(
    JSON.stringify(mergeEnv(plan!, "big")),
    expected("20", ',"max_vus":3', "1.20"),
  );
  assertEquals(
    JSON.stringify(plan!.env),
    '{"big":{"variables":{"v":1.20},"scenarios":{"s":{"rate":20.0,"max_vus":3.0}}}}',
  );
});

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
