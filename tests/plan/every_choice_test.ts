import { assertEquals } from "@std/assert";
import { withEveryChoice } from "../../src/plan/override.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";

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

Deno.test("withEveryChoice replaces random steps with all of their choices, in order", () => {
  const flow = flowOf(`
- request: {url: /first}
- random:
    choices:
      - {weight: 9, steps: [{request: {url: /a}}, {request: {url: /b}}]}
      - steps:
          - random: {strategy: uniform, choices: [{steps: [{request: {url: /c}}]}]}
- request: {url: /last}
`);
  assertEquals(flow, ["/first", "/a", "/b", "/c", "/last"].map(request));
});

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
