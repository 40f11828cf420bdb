import { assertEquals } from "@std/assert";
import { mergePlans, planChanges } from "../../../src/plan/edits/merge_plans.ts";
import { parsedPlan } from "../../support/parsed_plan.ts";

const BASE = `
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 60s
    flow:
      - request: {name: one, url: "http://a.example/1"}
      - request: {name: two, url: "http://a.example/2"}
      - request: {name: three, url: "http://a.example/3"}
      - random:
          choices:
            - {name: a, weight: 1, steps: [{request: {url: "http://a.example/a"}}]}
            - {name: b, weight: 2, steps: [{request: {url: "http://a.example/b"}}]}
`;
const STEP_ONE = '      - request: {name: one, url: "http://a.example/1"}\n';
const STEP_THREE = '      - request: {name: three, url: "http://a.example/3"}\n';
const STEP_TWO = '      - request: {name: two, url: "http://a.example/2"}\n';
const added = (name: string) =>
  `      - request: {name: ${name}, url: "http://a.example/${name}"}\n`;

type Edit = readonly [from: string, to: string];

/**
 * Manual edits of `BASE`, changes in the new conversion, the edits of `BASE` that produce the
 * expected result, and the expected conflicts.
 */
const TABLE: readonly [what: string, hand: Edit[], converted: Edit[], both: Edit[], string[]][] = [
  ["keeps an edit", [["vus: 1", "vus: 5"]], [], [["vus: 1", "vus: 5"]], []],
  ["takes a new conversion", [], [["weight: 2", "weight: 9"]], [["weight: 2", "weight: 9"]], []],
  [
    "merges edits of different places",
    [["vus: 1", "vus: 5"], [STEP_TWO, STEP_TWO + added("mine")]],
    [["weight: 2", "weight: 9"], [STEP_TWO, added("new") + STEP_TWO]],
    [
      ["vus: 1", "vus: 5"],
      ["weight: 2", "weight: 9"],
      [STEP_TWO, added("new") + STEP_TWO + added("mine")],
    ],
    [],
  ],
  ["keeps a removed step removed", [[STEP_TWO, ""]], [], [[STEP_TWO, ""]], []],
  ["removes a step that is no longer recorded", [], [[STEP_TWO, ""]], [[STEP_TWO, ""]], []],
  [
    "accepts an equal edit and conversion",
    [["vus: 1", "vus: 7"], [STEP_TWO, STEP_TWO + added("x")]],
    [["vus: 1", "vus: 7"], [STEP_TWO, STEP_TWO + added("x")]],
    [["vus: 1", "vus: 7"], [STEP_TWO, STEP_TWO + added("x")]],
    [],
  ],
  [
    "keeps the edit of a value that the conversion changed too, and reports it",
    [["60s", "10s"]],
    [["60s", "90s"]],
    [["60s", "10s"]],
    ["scenarios.main.duration"],
  ],
  [
    "keeps an edited step that is no longer recorded, and reports it",
    [["a.example/2", "a.example/two"]],
    [[STEP_TWO, ""]],
    [["a.example/2", "a.example/two"]],
    ["scenarios.main.flow[two]"],
  ],
  [
    "keeps a removed step removed if the conversion changed it, and reports it",
    [[STEP_TWO, ""]],
    [["a.example/2", "a.example/two"]],
    [[STEP_TWO, ""]],
    ["scenarios.main.flow[two]"],
  ],
  [
    "keeps a moved step where it is, and takes its new values",
    [[STEP_ONE + STEP_TWO, STEP_TWO + STEP_ONE]],
    [["a.example/1", "a.example/first"]],
    [[STEP_ONE + STEP_TWO, STEP_TWO + STEP_ONE.replace("/1", "/first")]],
    [],
  ],
  [
    "keeps a moved step that is no longer recorded, and reports it",
    [[STEP_TWO + STEP_THREE, STEP_THREE + STEP_TWO]],
    [[STEP_TWO, ""]],
    [[STEP_TWO + STEP_THREE, STEP_THREE + STEP_TWO]],
    ["scenarios.main.flow[two]"],
  ],
  [
    "adds a choice and keeps an edited weight",
    [["weight: 1", "weight: 50"]],
    [[
      "            - {name: b",
      '            - {name: c, weight: 4, steps: [{request: {url: "http://a.example/c"}}]}\n' +
      "            - {name: b",
    ]],
    [
      ["weight: 1", "weight: 50"],
      [
        "            - {name: b",
        '            - {name: c, weight: 4, steps: [{request: {url: "http://a.example/c"}}]}\n' +
        "            - {name: b",
      ],
    ],
    [],
  ],
];

for (const [what, hand, converted, both, conflicts] of TABLE) {
  Deno.test(`mergePlans ${what}`, async () => {
    const [base, mine, theirs, expected] = await Promise.all(
      [[], hand, converted, both].map((edits) => parsedPlan(applied(edits))),
    );
    const merged = mergePlans(base, mine, theirs);
    assertEquals(planChanges(expected, merged.plan), []);
    assertEquals(merged.plan, expected);
    assertEquals(merged.conflicts.map(({ place }) => place), conflicts);
  });
}

function applied(edits: readonly Edit[]): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`not in the plan: ${from}`);
    return text.replace(from, to);
  }, BASE);
}

const flow = (...steps: string[]) =>
  `scenarios:\n  main:\n    executor: constant-vus\n    vus: 1\n    duration: 60s\n    flow:\n` +
  steps.map((step) => `      - ${step}\n`).join("");
const poll = (n: string, recorded: number) =>
  `request: {url: "http://a.example/poll", headers: {x-n: "${n}"}, tags: {recorded: ${recorded}}}`;

Deno.test("mergePlans distinguishes between steps with the same name", async () => {
  const [base, edited, converted, expected] = await Promise.all([
    [poll("1", 1), poll("2", 2), poll("3", 3)],
    [poll("2", 2), poll("3", 3)],
    [poll("1new", 1), poll("2new", 2), poll("3", 3)],
    [poll("2new", 2), poll("3", 3)],
  ].map((steps) => parsedPlan(flow(...steps))));
  const { plan, conflicts } = mergePlans(base, edited, converted);
  assertEquals(plan, expected);
  // The removed step is the only conflict: the new conversion changed it.
  assertEquals(conflicts.map(({ edited }) => edited), [undefined]);
});

Deno.test("mergePlans matches steps with the same name even if the new recording has an additional request before them", async () => {
  const [base, edited, converted, expected] = await Promise.all([
    [poll("1", 1), poll("2", 2)],
    [poll("1", 1), poll("edited", 2)],
    [poll("new", 1), poll("1", 2), poll("2", 3)],
    [poll("new", 1), poll("1", 2), poll("edited", 3)],
  ].map((steps) => parsedPlan(flow(...steps))));
  const { plan, conflicts } = mergePlans(base, edited, converted);
  assertEquals(plan, expected);
  assertEquals(conflicts, []);
});

Deno.test("mergePlans reports a conflict if both versions change the same list in a body", async () => {
  const body = (list: string) =>
    flow(`request: {name: r, url: "http://a.example/", body: {json: {order: [${list}]}}}`);
  const [base, edited, converted] = await Promise.all(
    ["a, b", "a, b, mine", "b, a"].map((list) => parsedPlan(body(list))),
  );
  const { plan, conflicts } = mergePlans(base, edited, converted);
  assertEquals(plan, edited);
  assertEquals(conflicts.map(({ place }) => place), [
    "scenarios.main.flow[r].request.body.json.order",
  ]);
  assertEquals(mergePlans(base, base, converted).plan, converted);
});
