import { assert, assertEquals } from "@std/assert";
import { amendPlanText } from "../../src/plan/edits/amend_plan.ts";
import { mergePlans, planChanges } from "../../src/plan/edits/merge_plans.ts";
import { withNewHead } from "../../src/plan/edits/text_edits.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { parsedPlan } from "../support/parsed_plan.ts";

const TEXT = `# A checked plan.

name:   'shop'   # the name
scenarios:
  # Reads only.
  reads: {executor: per-vu-iterations, vus: 1, iterations: 2, flow: [{request: {url: /a?x=1, method: GET}}]}

  writes:
      executor: per-vu-iterations   # one after the other
      vus: 1
      iterations: 1
      flow:
      - request:   # the form
          # Shows the form.
          url: "/form"
          extract:
            - type: css   # in the page
              name: csrf
              expression: "input[name=csrf]"
              attribute: value
      # Sends it.
      - request:
          method: POST
          url: /form
          body:
            form:
              token: \${csrf}   # from the form
              text: |
                Two
                lines
              note: >-
                one
                line
`;

type Edit = (plan: Plan, writes: Plan["scenarios"][string]["flow"]) => void;

function amended(edit: Edit, text = TEXT): string | undefined {
  const { plan, diagnostics } = loadPlan(text);
  if (plan === undefined) throw new Error(JSON.stringify(diagnostics));
  const changed = structuredClone(plan);
  edit(changed, changed.scenarios.writes?.flow);
  return amendPlanText(text, changed);
}

const HEADER = { type: "header", name: "id", header: "X-Id" } as const;
const FIRST_ITEM = "      - request:   # the form\n";
const form = (flow: Plan["scenarios"][string]["flow"]) =>
  (flow[1].request!.body as { form: Record<string, string> }).form;

/** Edits, each with the part of the plan that it replaces, and nothing else. */
const EDITS: Record<string, readonly [edit: Edit, part: string, by: string]> = {
  "replaces a scalar and keeps the comment after it": [
    (plan) => plan.name = "two shops",
    "'shop'",
    "two shops",
  ],
  "quotes a scalar if necessary": [(plan) => plan.name = "a: b", "'shop'", '"a: b"'],
  "replaces a scalar without quotes": [
    (plan) => plan.scenarios.writes.executor = "x" as never,
    "per-vu-iterations   #",
    "x   #",
  ],
  "replaces a scalar in braces": [
    (plan) => plan.scenarios.reads.flow[0].request!.url = "/a?x=${id}",
    "/a?x=1",
    '"/a?x=${id}"',
  ],
  "rewrites a map in braces if a key is added": [
    (plan) => plan.scenarios.reads.flow[0].request!.name = "a",
    "{url: /a?x=1, method: GET}",
    '{"url": "/a?x=1", "method": "GET", "name": "a"}',
  ],
  "adds a key below the key that precedes it in the schema": [
    (_, flow) => flow[1].request!.extract = [HEADER],
    "                line\n",
    `                line
          extract:
            - type: header
              name: id
              header: X-Id
`,
  ],
  "adds a key above the first one": [
    (_, flow) => flow[1].request!.name = "send",
    "          method: POST\n",
    "          name: send\n          method: POST\n",
  ],
  "adds an item to a list": [
    (_, flow) => flow[0].request!.extract!.push(HEADER),
    "              attribute: value\n",
    `              attribute: value
            - type: header
              name: id
              header: X-Id
`,
  ],
  "adds an item at the start of a list": [
    (_, flow) => flow.unshift({ request: { url: "/" } }),
    FIRST_ITEM,
    `      - request:\n          url: /\n${FIRST_ITEM}`,
  ],
  "removes an item and the comments within it": [
    (_, flow) => flow.shift(),
    TEXT.slice(TEXT.indexOf(FIRST_ITEM), TEXT.indexOf("      # Sends")),
    "",
  ],
  "removes the last key of a map together with its value": [
    (_, flow) => delete flow[0].request!.extract,
    `          extract:
            - type: css   # in the page
              name: csrf
              expression: "input[name=csrf]"
              attribute: value
`,
    "",
  ],
  "removes the first key of a list item": [
    (_, flow) => delete (flow[0].request!.extract![0] as { type?: string }).type,
    "type: css   # in the page\n              name",
    "name",
  ],
  "replaces a literal block scalar and keeps the text after it": [
    (_, flow) => form(flow).text = "Two\n${unique}\n",
    "|\n                Two\n                lines",
    '"Two\\n${unique}\\n"',
  ],
  "replaces a folded block scalar": [
    (_, flow) => form(flow).note = "nothing",
    ">-\n                one\n                line",
    "nothing",
  ],
  "replaces a value and its key if the kind of the value changes": [
    (_, flow) => flow[1].request!.body = { text: "x" } as never,
    TEXT.slice(TEXT.indexOf("            form:")),
    "            text: x\n",
  ],
};

for (const [name, [edit, part, by]] of Object.entries(EDITS)) {
  Deno.test(`amendPlanText ${name}`, () => {
    assertEquals(TEXT.split(part).length, 2, "the part is in the text once");
    assertEquals(amended(edit), TEXT.replace(part, () => by));
  });
}

Deno.test("amendPlanText returns the original text if the plan is unchanged", () => {
  assertEquals(amended(() => {}), TEXT);
});

Deno.test("amendPlanText keeps the comments of each item if items before it are added or removed", () => {
  const item = (name: string, part = `      # Above ${name}.\n`) =>
    `${part}      - request:   # ${name}\n          name: ${name}\n          url: /${name}   # URL of ${name}\n`;
  const plan = (...items: string[]) =>
    `scenarios:\n  main:\n    executor: constant-vus\n    vus: 1\n    duration: 1s\n    flow:\n${
      items.join("")
    }`;
  const text = plan(item("a"), item("b"), item("c"), item("d"));
  const change = (edit: (flow: Plan["scenarios"][string]["flow"]) => void) =>
    amended(({ scenarios }) => edit(scenarios.main.flow), text);
  assertEquals(change((flow) => flow.splice(1, 1)), plan(item("a"), item("c"), item("d")));
  assertEquals(change((flow) => flow.shift()), plan(item("b"), item("c"), item("d")));
  const pause = "      - think_time: 1s\n";
  assertEquals(
    change((flow) => {
      flow.splice(3, 0, { think_time: "1s" });
      flow.splice(0, 2, { think_time: "1s" });
    }),
    plan(pause, item("c"), pause, item("d")),
  );
  assertEquals(
    change((flow) => {
      flow[3].request!.url = "/new";
      flow.unshift({ think_time: "1s" });
      flow.splice(2, 1);
    }),
    plan(pause, item("a"), item("c"), item("d").replace("url: /d", "url: /new")),
  );
});

Deno.test("amendPlanText removes the comments of a choice that another choice replaces", () => {
  const choice = (name: string, comment = "") =>
    `            - name: ${name}\n              steps:${comment}\n                - request:\n                    url: /${name}\n`;
  const plan = (...choices: string[]) =>
    `scenarios:\n  main:\n    executor: constant-vus\n    vus: 1\n    duration: 1s\n    flow:\n` +
    `      - random:\n          choices:\n${choices.join("")}`;
  const actual = amended(({ scenarios }) => {
    const { choices } = scenarios.main.flow[0].random!;
    choices[1] = { name: "c", steps: [{ request: { url: "/c" } }] };
  }, plan(choice("a", "   # of a"), choice("b", "   # of b")));
  assertEquals(actual, plan(choice("a", "   # of a"), choice("c")));
});

Deno.test("amendPlanText makes several edits at once", () => {
  const text = amended((plan, flow) => {
    plan.name = "x";
    flow[0].request!.url = "/start";
    flow[0].request!.extract!.push(HEADER);
    flow[1].request!.url = "/form/${id}";
  });
  assertEquals(text!.match(/#.*/g), TEXT.match(/#.*/g));
  assertEquals(text!.split("\n").length, TEXT.split("\n").length + 3);
});

Deno.test("amendPlanText keeps CR LF line endings, and does not add a line ending to the last line", () => {
  const text = TEXT.replaceAll("\n", "\r\n").trimEnd();
  const result = amended(
    (_, flow) => flow[1].request!.assert = { status: 200 } as never,
    text,
  );
  assertEquals(result, `${text}\r\n          assert:\r\n            status: 200`);
});

Deno.test("amendPlanText returns undefined if an anchor and its alias share a value that changes in only one place", () => {
  const text = TEXT.replace("url: /form\n", "url: *form\n").replace('"/form"', "&form /form");
  assertEquals(amended((_, flow) => flow[0].request!.url = "/other", text), undefined);
  assertEquals(
    amended((_, flow) => flow[1].request!.url = "/other", text),
    text.replace("url: *form", "url: /other"),
  );
});

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

type TextEdit = readonly [from: string, to: string];

/**
 * Manual edits of `BASE`, changes in the new conversion, the edits of `BASE` that produce the
 * expected result, and the expected conflicts.
 */
const TABLE: readonly [
  what: string,
  hand: TextEdit[],
  converted: TextEdit[],
  both: TextEdit[],
  string[],
][] = [
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

function applied(edits: readonly TextEdit[]): string {
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
const REWRITES: readonly [what: string, from: string, to: string, places: string[]][] = [
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

for (const [what, from, to, places] of REWRITES) {
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

const pollStep = (n: string, recorded?: number) =>
  `request: {url: "http://a.example/poll", headers: {x-n: "${n}"}${
    recorded === undefined ? "" : `, tags: {recorded: ${recorded}}`
  }}`;

Deno.test("planChanges finds one difference if one of several steps with the same name is removed", () => {
  const plans: [string[], string[]][] = [
    [[pollStep("1"), pollStep("2"), pollStep("3")], [pollStep("2"), pollStep("3")]],
    [[pollStep("1", 1), pollStep("1", 2), pollStep("1", 3)], [pollStep("1", 2), pollStep("1", 3)]],
    [[pollStep("1"), pollStep("2"), pollStep("3")], [pollStep("1"), pollStep("3")]],
  ];
  for (const [steps, fewer] of plans) {
    const [before, after] = [parsedPlan(flow(...steps)), parsedPlan(flow(...fewer))];
    const [change, ...others] = planChanges(before, after);
    assertEquals(others, []);
    assertEquals([change.before === undefined, change.after], [false, undefined]);
  }
});

/** Creates the start of a plan, with the line that names the schema unless `schema` is empty. */
function plan(schema: string, notes: string): string {
  const line = schema && `# yaml-language-server: $schema=${schema}\n`;
  return `${line}# ${notes}\nname: a\n`;
}

Deno.test("withNewHead replaces the schema of another version, and removes it if this version has none", () => {
  const old = plan("https://example.com/v1", "old");
  for (const schema of ["https://example.com/v2", ""]) {
    assertEquals(withNewHead(old, old, plan(schema, "new")), plan(schema, "new"));
  }
});

Deno.test("withNewHead keeps a schema that you changed or added", () => {
  const mine = plan("mine", "old");
  for (const schema of ["https://example.com/v1", ""]) {
    assertEquals(withNewHead(mine, plan(schema, "old"), plan(schema, "new")), plan("mine", "new"));
  }
});
