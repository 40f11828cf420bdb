import { assert, assertEquals } from "@std/assert";
import { planChanges } from "../../../src/plan/edits/merge_plans.ts";
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

/** Edits of the plan, and the paths of the expected differences. */
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
  Deno.test(`planChanges finds ${places.length} differences for ${what}`, () => {
    const [before, after] = [parsedPlan(BEFORE), parsedPlan(BEFORE.replace(from, to))];
    assertEquals(planChanges(before, after).map(({ place }) => place), places);
    const back = planChanges(after, before);
    assertEquals(back.length, places.length);
  });
}

Deno.test("planChanges ignores the order of choices, but not that of steps", () => {
  const lines = BEFORE.split("\n");
  const swapped = (at: number) => {
    const moved = [...lines];
    [moved[at], moved[at + 1]] = [moved[at + 1], moved[at]];
    return moved.join("\n");
  };
  const before = parsedPlan(BEFORE);
  const choices = parsedPlan(swapped(lines.findIndex((line) => line.includes("name: a"))));
  assertEquals(planChanges(before, choices), []);
  const steps = parsedPlan(swapped(lines.findIndex((line) => line.includes("/cart"))));
  assertEquals(planChanges(before, steps).length, 2);
});

const FLOW = "scenarios.main.flow";
const flow = (...steps: string[]) =>
  `scenarios:\n  main:\n    executor: constant-vus\n    vus: 1\n    duration: 60s\n    flow:\n` +
  steps.map((step) => `      - ${step}\n`).join("");
const post = (body: string) => flow(`request: {name: r, url: "http://a.example/", body: ${body}}`);
const get = (rest: string) => flow(`request: {name: r, url: "http://a.example/", ${rest}}`);
const variable = (value: string) =>
  `variables: {wait: ${value}}\n${flow('request: {url: "http://a.example/"}')}`;
const rows = (...rows: string[]) =>
  `data: {timeout: {type: inline, rows: [${rows}]}}\n` +
  flow('request: {url: "http://a.example/${data.timeout.max}"}');
const inTurn = (...names: string[]) =>
  flow(
    `random: {strategy: round_robin, choices: [${
      names.map((name) => `{name: ${name}, steps: [{request: {url: "http://a.example/${name}"}}]}`)
    }]}`,
  );

/** Pairs of plans that send different data, and the paths of the expected differences. */
const DATA: readonly [what: string, before: string, after: string, places: string[]][] = [
  [
    "a header",
    get('headers: {timeout: "60s"}'),
    get('headers: {timeout: "1m"}'),
    [`${FLOW}[r].request.headers.timeout`],
  ],
  [
    "a parameter",
    get('params: {time: "60s"}'),
    get('params: {time: "1m"}'),
    [`${FLOW}[r].request.params.time`],
  ],
  ["a variable", variable("60s"), variable("1m"), ["variables.wait"]],
  [
    "members of a body",
    post('{json: {wait: "60s", min: "1s", url: "/"}}'),
    post('{json: {wait: "1m", min: "1000ms", url: "/", method: "GET"}}'),
    ["wait", "min", "method"].map((key) => `${FLOW}[r].request.body.json.${key}`),
  ],
  [
    "a set variable",
    flow('set: {timeout: "60s"}'),
    flow('set: {timeout: "1m"}'),
    [`${FLOW}[set].set.timeout`],
  ],
  [
    "the order of a list in a body",
    post("{json: {order: [a, b]}}"),
    post("{json: {order: [b, a]}}"),
    [`${FLOW}[r].request.body.json.order[0]`, `${FLOW}[r].request.body.json.order[1]`],
  ],
  [
    "the order of a JSON patch",
    post("{json: [{op: remove, path: /a}, {op: add, path: /b, value: 1}]}"),
    post("{json: [{op: add, path: /b, value: 1}, {op: remove, path: /a}]}"),
    [`${FLOW}[r].request.body.json[0]`, `${FLOW}[r].request.body.json[1]`],
  ],
  [
    "an item added to a list in a body",
    post("{json: [a, b]}"),
    post("{json: [x, a, b]}"),
    [`${FLOW}[r].request.body.json[0]`],
  ],
  [
    "the order of a repeated parameter",
    get('params: {k: ["1", "2"]}'),
    get('params: {k: ["2", "1"]}'),
    [`${FLOW}[r].request.params.k[0]`, `${FLOW}[r].request.params.k[1]`],
  ],
  [
    "the order of the items of a loop",
    flow("foreach: {items: [x, y], as: i, steps: [{think_time: 1s}]}"),
    flow("foreach: {items: [y, x], as: i, steps: [{think_time: 1s}]}"),
    [`${FLOW}[foreach].foreach.items[0]`, `${FLOW}[foreach].foreach.items[1]`],
  ],
  [
    "the order of rows",
    rows("{max: 60s}", "{max: 1s}"),
    rows("{max: 1s}", "{max: 60s}"),
    ["data.timeout.rows[0]", "data.timeout.rows[1]"],
  ],
  [
    "the order of choices in turn",
    inTurn("a", "b"),
    inTurn("b", "a"),
    ["a", "a"].map((name) => `${FLOW}[random].random.choices[${name}]`),
  ],
];

for (const [what, before, after, places] of DATA) {
  Deno.test(`planChanges finds a difference in ${what}`, () => {
    const changes = planChanges(parsedPlan(before), parsedPlan(after));
    assert(changes.length > 0);
    const found = [...new Set(changes.map(({ place }) => place))].sort();
    assertEquals(found, [...new Set(places)].sort());
  });
}

const poll = (n: string, recorded?: number) =>
  `request: {url: "http://a.example/poll", headers: {x-n: "${n}"}${
    recorded === undefined ? "" : `, tags: {recorded: ${recorded}}`
  }}`;

Deno.test("planChanges finds one difference if one of several steps with the same name is removed", () => {
  const plans: [string[], string[]][] = [
    [[poll("1"), poll("2"), poll("3")], [poll("2"), poll("3")]],
    [[poll("1", 1), poll("1", 2), poll("1", 3)], [poll("1", 2), poll("1", 3)]],
    [[poll("1"), poll("2"), poll("3")], [poll("1"), poll("3")]],
  ];
  for (const [steps, fewer] of plans) {
    const [before, after] = [parsedPlan(flow(...steps)), parsedPlan(flow(...fewer))];
    const [change, ...others] = planChanges(before, after);
    assertEquals(others, []);
    assertEquals([change.before === undefined, change.after], [false, undefined]);
  }
});
