import { assertEquals } from "@std/assert";
import type { FlowCondition } from "../../../../src/plan/kinds/conditions.ts";
import { ExactNumber } from "../../../../src/base/exact_number.ts";
import { runFlow } from "../../../support/run_in_virtual_time.ts";

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

const CASES: readonly [FlowCondition, boolean][] = [
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

for (const [condition, expected] of CASES) {
  Deno.test(`the condition ${JSON.stringify(condition)} is ${expected}`, async () => {
    assertEquals(await isTrue(condition), expected);
  });
}
