import { assertEquals } from "@std/assert";
import { planChanges } from "../../../src/plan/compare/plan_changes.ts";
import { parsedPlan } from "../../support/parsed_plan.ts";

const BEFORE = `
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 60s
    flow:
      - request: {url: "http://a.example/"}
      - request: {url: "http://a.example/cart", method: GET, timeout: 1000ms}
      - think_time: 1s
      - random:
          choices:
            - {name: a, weight: 1, steps: [{request: {url: "http://a.example/a"}}]}
            - {name: b, weight: 2, steps: [{request: {url: "http://a.example/b"}}]}
thresholds:
  http_req_duration: ["p(95)<400", "max<2s"]
`;

/** Edits of the plan, and the places of the differences. */
const EDITS: readonly [what: string, from: string, to: string, places: string[]][] = [
  ["the notation of a duration", "60s", "1m", []],
  ["a method that is the default", ", method: GET", "", []],
  ["the order of keys", "vus: 1\n    duration: 60s", "duration: 60s\n    vus: 1", []],
  ["a comment", "scenarios:", "# new\nscenarios:", []],
  ["the number of VUs", "vus: 1", "vus: 2", ["scenarios.main.vus"]],
  [
    "a timeout",
    "1000ms",
    "2s",
    ["scenarios.main.flow[GET http://a.example/cart].request.timeout"],
  ],
  [
    "an added step",
    "      - think_time: 1s\n",
    '      - request: {url: "http://a.example/new"}\n      - think_time: 1s\n',
    ["scenarios.main.flow[GET http://a.example/new]"],
  ],
  [
    "the URL of a step",
    "a.example/cart",
    "a.example/basket",
    ["scenarios.main.flow[GET http://a.example/cart].request.url"],
  ],
  [
    "a weight",
    "weight: 2",
    "weight: 3",
    ["scenarios.main.flow[random].random.choices[b].weight"],
  ],
  [
    "a renamed choice",
    "name: b",
    "name: c",
    ["scenarios.main.flow[random].random.choices[b].name"],
  ],
  ["a removed threshold", ', "max<2s"', "", ["thresholds.http_req_duration[max<2s]"]],
];

for (const [what, from, to, places] of EDITS) {
  Deno.test(`planChanges finds ${places.length} differences for ${what}`, async () => {
    const [before, after] = [await parsedPlan(BEFORE), await parsedPlan(BEFORE.replace(from, to))];
    assertEquals(planChanges(before, after).map(({ place }) => place), places);
    const back = planChanges(after, before);
    assertEquals(back.length, places.length);
  });
}

Deno.test("planChanges ignores the order of choices, but not that of steps", async () => {
  const lines = BEFORE.split("\n");
  const swapped = (at: number) => {
    const moved = [...lines];
    [moved[at], moved[at + 1]] = [moved[at + 1], moved[at]];
    return moved.join("\n");
  };
  const before = await parsedPlan(BEFORE);
  const choices = await parsedPlan(swapped(lines.findIndex((line) => line.includes("name: a"))));
  assertEquals(planChanges(before, choices), []);
  const steps = await parsedPlan(swapped(lines.findIndex((line) => line.includes("/cart"))));
  assertEquals(planChanges(before, steps).length, 2);
});
