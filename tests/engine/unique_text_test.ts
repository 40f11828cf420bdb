import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../support/run_in_virtual_time.ts";

const PLAN = singleScenarioPlan(scenarioOf("per-vu-iterations, vus: 2, iterations: 2", [
  { request: { url: "/${unique}", body: { json: { slug: "a-${unique}" } } } },
  { request: { url: "/again/${unique}" } },
]));

async function uniqueTexts(seed: number): Promise<string[]> {
  const { sent } = await runInVirtualTime(PLAN, { seed });
  const first = sent.filter(({ body }) => body !== "");
  for (const { target, body, session } of first) {
    assertEquals(JSON.parse(body), { slug: `a-${target.slice(1)}` });
    const again = sent.filter((one) => one.session === session).map((one) => one.target);
    assertEquals(again.includes(`/again${target}`), true);
  }
  return first.map(({ target }) => target.slice(1));
}

Deno.test("${unique} is new in each run, VU and iteration, and the same within an iteration", async () => {
  const texts = await uniqueTexts(1);
  for (const text of texts) assertMatch(text, /^[a-z][0-9][a-z0-9]{8}$/);
  assertEquals(new Set(texts).size, 4);
  assertEquals(await uniqueTexts(1), texts);
  assertNotEquals(await uniqueTexts(2), texts);
});
