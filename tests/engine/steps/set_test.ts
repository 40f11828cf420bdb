import { assertEquals } from "@std/assert";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

const send: Step = { request: { url: "/", body: { json: "${x}" } } };

Deno.test("set evaluates its values in order, and a single expression keeps its type", async () => {
  const set = {
    a: 2,
    b: "${a * 3}",
    x: { sum: "${a + b}", text: "${a}+${b}", list: ["${b > a}", null], "${a}": 1.5 },
  };
  const { sent } = await runFlow([{ set }, send]);
  assertEquals(JSON.parse(sent[0].body), {
    sum: 8,
    text: "2+6",
    list: [true, null],
    "2": 1.5,
  });
});

Deno.test("a set step in a loop changes the variable that the loop's condition tests", async () => {
  const { sent } = await runFlow([
    { set: { n: 1 } },
    {
      while: {
        condition: "n < 100",
        steps: [{ set: { n: "${n * 3}" } }, { request: { url: "/${n}" } }],
      },
    },
  ]);
  assertEquals(sent.map(({ target }) => target), ["/3", "/9", "/27", "/81", "/243"]);
});

Deno.test("set keeps every digit of an extracted id in arithmetic", async () => {
  const { sent } = await runFlow([
    {
      request: { url: "/", extract: [{ type: "jsonpath", name: "id", expression: "$.id" }] },
    },
    { set: { x: "${id + 1}" } },
    send,
  ], { respond: () => ({ status: 200, body: '{"id":9007199254740993}' }) });
  assertEquals(sent[1].body, "9007199254740994");
});

Deno.test("a value that cannot be evaluated causes an error and leaves the variable unset", async () => {
  const { sent, summary } = await runFlow([
    { set: { x: 1 } },
    { set: { x: "${x / 0}", y: "${x ?? 5}" } },
    { request: { url: "/${y}" } },
  ]);
  assertEquals(sent.map(({ target }) => target), ["/5"]);
  assertEquals(summary.errors, [
    { kind: "template", scenario: "s", name: "set x", count: 1, message: "division by zero" },
  ]);
});

Deno.test("text that doubles in a loop causes an error instead of a crash", async () => {
  const { summary } = await runFlow([
    { set: { x: "0123456789" } },
    { repeat: { times: 40, steps: [{ set: { x: "${x}${x}" } }] } },
  ]);
  assertEquals(summary.errors[0].message, "the text is longer than 16777216 characters");
});
