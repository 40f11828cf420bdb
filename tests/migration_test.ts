import { assertEquals } from "@std/assert";
import { loadPlan } from "../src/plan/load_plan.ts";
import { runInVirtualTime } from "./support/run_in_virtual_time.ts";

const page = Deno.readTextFileSync(new URL("../docs/migrating-from-k6.md", import.meta.url));
const [, example] = /^```yaml\n(.*?)^```$/ms.exec(page)!;

Deno.test("the plan in docs/migrating-from-k6.md is valid and does what the page says", async () => {
  const { plan, diagnostics } = await loadPlan(example);
  assertEquals(diagnostics, []);
  const { sent, summary } = await runInVirtualTime({
    ...plan!,
    scenarios: {
      cart: { ...plan!.scenarios.cart, executor: "per-vu-iterations", vus: 1, iterations: 1 },
    } as never,
  }, {
    env: { PASSWORD: "p" },
    respond: ({ target }) => ({
      status: 200,
      body: target === "/api/login" ? '{"token":"t"}' : '{"items":[{"price":70},{"price":50}]}',
    }),
  });
  const paths = ["/api/login", "/api/cart", "/api/discount", "/api/logout"];
  assertEquals(sent.map(({ target }) => target), paths);
  assertEquals(JSON.parse(sent[2].body).total, 120);
  assertEquals(summary.metrics.cart_total, { value: 120, min: 120, max: 120 });
  assertEquals(summary.passed, true);
});
