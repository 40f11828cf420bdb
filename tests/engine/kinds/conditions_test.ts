import { assertEquals } from "@std/assert";
import { ExactNumber } from "../../../src/base/exact_number.ts";
import { sameJson } from "../../../src/engine/flow/values.ts";
import type { Condition, FlowCondition } from "../../../src/plan/kinds/conditions.ts";
import { conditionName } from "../../../src/plan/kinds/request.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { FakeResponse } from "../../support/fake_sender.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

const RESPONSE: FakeResponse = {
  status: 201,
  body: '{"user":{"id":7,"tags":["a"]}} <p class="ok">',
  headers: [["X-Kind", "fast car"], ["Content-Type", "text/html"]],
  ms: 120,
};
const JSON_RESPONSE: FakeResponse = {
  ...RESPONSE,
  body: '{"user":{"id":7,"tags":["a"]},"none":null}',
};

const CASES: readonly [Condition, boolean, FakeResponse?][] = [
  [{ type: "status", equals: 201 }, true],
  [{ type: "status", equals: 200 }, false],
  [{ type: "status", one_of: [200, 201] }, true],
  [{ type: "status", matches: "^2" }, true],
  [{ type: "status", matches: "^2", equals: 204 }, false],
  [{ type: "body_contains", value: "user" }, true],
  [{ type: "body_contains", value: "vu ${vu}" }, false],
  [{ type: "body_contains", value: "user", negate: true }, false],
  [{ type: "body_matches", pattern: '"id":\\d' }, true],
  [{ type: "body_matches", pattern: "x{9}", negate: true }, true],
  [{ type: "jsonpath", expression: "$.user.id", equals: 7 }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user.id", equals: "7" }, false, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user", equals: { tags: ["a"], id: 7 } }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.none", equals: null }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user" }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.no", exists: false }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user" }, false],
  [{ type: "css", expression: "p.ok" }, true],
  [{ type: "css", expression: "p.no" }, false],
  [{ type: "css", expression: "p.no", exists: false }, true],
  [{ type: "xpath", expression: "//p[@class='ok']" }, true],
  [{ type: "xpath", expression: "//p[@class='no']" }, false],
  [{ type: "xpath", expression: "//p[@class='no']", exists: false }, true],
  [{ type: "xpath", expression: "//p", count: { gte: 1, lt: 2 } }, true],
  [{ type: "xpath", expression: "//a", count: 1 }, false],
  [{ type: "duration", max: "120ms" }, true],
  [{ type: "duration", max: "119ms" }, false],
  [{ type: "size", min: 1, max: 1_000 }, true],
  [{ type: "size", equals: 1 }, false],
  [{ type: "header", header: "x-KIND" }, true],
  [{ type: "header", header: "X-Kind", equals: "fast car" }, true],
  [{ type: "header", header: "X-Kind", contains: "slow" }, false],
  [{ type: "header", header: "X-None", exists: false }, true],
  [{ type: "header", header: "X-None", equals: "" }, false],
  [{ type: "header", header: "X-Kind", matches: "^fast" }, true],
  [{ type: "header", header: "X-Kind", matches: "^car" }, false],
  [{ type: "header", header: "X-None", matches: "" }, false],
  [{ type: "jsonpath", expression: "$.user.id", gt: 6, lte: 7 }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user.id", gt: 7 }, false, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user", gte: 0 }, false, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.none", lt: 1 }, false, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user.tags[0]", matches: "^a$" }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user.*", count: 2 }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.no[*]", count: 0 }, true, JSON_RESPONSE],
  [{ type: "jsonpath", expression: "$.user.*", count: { gt: 2 } }, false, JSON_RESPONSE],
  [{ type: "css", expression: "p", count: { gte: 1, lt: 2 } }, true],
  [{ type: "css", expression: "a", count: 1 }, false],
  [{ type: "body_contains", value: "user", count: 1 }, true],
  [{ type: "body_contains", value: "s", count: { lt: 3 } }, false],
  [{ type: "body_matches", pattern: "\\d", count: 1 }, true],
  [{ type: "header", header: "Age", gte: 60, lt: 61 }, true, {
    ...RESPONSE,
    headers: [["Age", "60"]],
  }],
  [{ type: "header", header: "X-Kind", gt: 0 }, false],
  // Every condition is false without a response.
  [{ type: "body_contains", value: "x", negate: true }, false, { error: "refused" }],
  [{ type: "duration", max: "1h" }, false, { error: "timeout" }],
];

for (const [condition, passes, response = RESPONSE] of CASES) {
  Deno.test(
    `check "${conditionName(condition)}" ${passes ? "passes" : "fails"}${
      response.error ? " without a response" : ""
    }`,
    async () => {
      const { summary } = await runFlow([{ request: { url: "/", checks: [condition] } }], {
        respond: () => response,
      });
      const results = { passes: passes ? 1 : 0, fails: passes ? 0 : 1 };
      assertEquals(summary.checks, [{
        name: conditionName(condition),
        scenario: "s",
        group: "",
        ...results,
        requests: [{ name: "GET /", ...results }],
      }]);
      assertEquals(summary.metrics.checks, {
        value: passes ? 1 : 0,
        passes: passes ? 1 : 0,
        fails: passes ? 0 : 1,
      });
    },
  );
}

Deno.test("`conditionName` describes a condition that has no name", () => {
  assertEquals(conditionName({ type: "status", equals: 200 }), "status equals 200");
  assertEquals(conditionName({ type: "status", equals: 200, name: "made" }), "made");
  assertEquals(
    conditionName({ type: "header", header: "x", contains: "y", on_failure: "continue" }),
    "header header x contains y",
  );
});

Deno.test("`sameJson` ignores the order of object keys", () => {
  assertEquals(sameJson({ a: 1, b: [null, "x"] }, { b: [null, "x"], a: 1 }), true);
  for (
    const [a, b] of [[1, "1"], [[], {}], [null, {}], [{ a: 1 }, { a: 1, b: 2 }], [[1, 2], [2, 1]]]
  ) {
    assertEquals(sameJson(a, b), false);
  }
});

async function isTrue(condition: FlowCondition): Promise<boolean> {
  const { sent } = await runFlow([
    {
      request: { url: "/", extract: [{ type: "jsonpath", name: "id", expression: "$.id" }] },
    },
    { set: { n: 7, text: "12", list: [1] } },
    { if: { condition, then: [{ request: { url: "/then" } }] } },
  ], { respond: () => ({ status: 201, body: '{"id":9007199254740993}' }) });
  return sent.length === 2;
}

const FLOW_CASES: readonly [FlowCondition, boolean][] = [
  ["n > 5 and not (text == 13)", true],
  ["${n > 7}", false],
  ["missing", false],
  ["missing == 1 or n == 7", false],
  ["(missing ?? 0) == 0", true],
  ["list", true],
  ["n / 0 > 1 or true", false],
  [{ var: "n", gt: 6, lt: 8 }, true],
  [{ var: "text", gte: 12, lte: 12 }, true],
  [{ var: "text", gt: 12 }, false],
  [{ var: "list", gt: 0 }, false],
  [{ var: "missing", lt: 5 }, false],
  [{ var: "n * 2", equals: 14 }, true],
  [{ var: "id", gt: new ExactNumber("9007199254740992") }, true],
  [{ var: "id", lt: new ExactNumber("9007199254740994") }, true],
  [{ and: ["n == 7", { type: "status", equals: 201 }] }, true],
  [{ and: ["n == 7", { type: "status", equals: 200 }] }, false],
  [{ or: [{ type: "status", equals: 200 }, { var: "text", matches: "^1" }] }, true],
  [{ not: { type: "jsonpath", expression: "$.none" } }, true],
  [{ not: { and: ["true", { or: ["n < 0", { not: "n < 0" }] }] } }, false],
];

for (const [condition, expected] of FLOW_CASES) {
  Deno.test(`the condition ${JSON.stringify(condition)} is ${expected}`, async () => {
    assertEquals(await isTrue(condition), expected);
  });
}

const damaged = () => ({ body: "not gzip", headers: [["content-encoding", "gzip"]] as const });
const condition = { type: "body_contains", value: "gzip" } as const;

/** Runs a flow whose response cannot be decoded, and returns its errors and the failed requests. */
async function failures(flow: Step[]) {
  const { summary, sent } = await runFlow(flow, { respond: damaged });
  return {
    errors: summary.errors.map(({ kind, message }) => `${kind}: ${message.slice(0, 28)}`),
    failed: summary.endpoints.reduce((sum, { failed }) => sum + failed, 0),
    sent: sent.length,
  };
}

const ERROR = "body: cannot decode the gzip body:";

Deno.test("a check that cannot read the body fails, and the request fails with the error kind `body`", async () => {
  const { errors, failed } = await failures([{ request: { url: "/", checks: [condition] } }]);
  assertEquals([errors, failed], [[ERROR], 1]);
});

Deno.test("a condition that cannot read the body is false, and is reported as an error", async () => {
  const request = { request: { url: "/" } };
  const { errors, sent } = await failures([request, { if: { condition, then: [request] } }]);
  assertEquals([errors, sent], [[ERROR], 1]);
});
