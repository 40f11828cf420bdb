import { assertEquals } from "@std/assert";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { mayBlock } from "../../src/plan/may_block.ts";

function blocks(request: string, more = ""): boolean {
  const { plan, diagnostics } = loadPlan(`scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow:
      - request: {url: "http://127.0.0.1/"${request}}
${more}`);
  assertEquals(diagnostics.filter(({ severity }) => severity === "error"), []);
  return mayBlock(plan!);
}

Deno.test("mayBlock is true only for plans that evaluate slow expressions on responses", () => {
  assertEquals(blocks(""), false);
  assertEquals(blocks(", checks: [{type: status, equals: 200}]"), false);
  assertEquals(blocks(", checks: [{type: body_contains, value: a}]"), false);
  assertEquals(blocks(", extract: [{type: cookie, name: a, cookie: b}]"), false);
  assertEquals(blocks(", checks: [{type: body_matches, pattern: a}]"), true);
  assertEquals(blocks(", extract: [{type: jsonpath, name: a, expression: $.a}]"), true);
  const loop = `      - while:
          condition: {type: css, expression: p}
          steps: [{think_time: 1s}]`;
  assertEquals(blocks("", loop), true);
});
