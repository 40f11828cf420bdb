import { assertEquals } from "@std/assert";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { mergeEnv } from "../../src/plan/overlay.ts";

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
