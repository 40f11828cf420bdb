import { assertEquals } from "@std/assert";
import { amendPlanText } from "../../../src/plan/edits/amend_plan.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";

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
