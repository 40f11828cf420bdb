import { assertEquals } from "@std/assert";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { mayBlock } from "../../src/plan/may_block.ts";

async function blocks(request: string, more = ""): Promise<boolean> {
  const { plan, diagnostics } = await loadPlan(`scenarios:
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

Deno.test("mayBlock is true only for plans that evaluate slow expressions on responses", async () => {
  assertEquals(await blocks(""), false);
  assertEquals(await blocks(", checks: [{type: status, equals: 200}]"), false);
  assertEquals(await blocks(", checks: [{type: body_contains, value: a}]"), false);
  assertEquals(await blocks(", extract: [{type: cookie, name: a, cookie: b}]"), false);
  assertEquals(await blocks(", checks: [{type: body_matches, pattern: a}]"), true);
  assertEquals(await blocks(", extract: [{type: jsonpath, name: a, expression: $.a}]"), true);
  const loop = `      - while:
          condition: {type: css, expression: p}
          steps: [{think_time: 1s}]`;
  assertEquals(await blocks("", loop), true);
});
