import { assertEquals } from "@std/assert";
import { loadPlan } from "../src/plan/load_plan.ts";
import { runInVirtualTime } from "./support/run_in_virtual_time.ts";

const page = Deno.readTextFileSync(new URL("../docs/migrating-from-k6.md", import.meta.url));
const [, example] = /^```yaml\n(.*?)^```$/ms.exec(page)!;

Deno.test("the plan in docs/migrating-from-k6.md is valid and does what the page says", async () => {
  const { plan, diagnostics } = loadPlan(example);
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

Deno.test("the plan in docs/recipes.md computes the values in its comments", async () => {
  const recipes = Deno.readTextFileSync(new URL("../docs/recipes.md", import.meta.url));
  const section = recipes.slice(recipes.indexOf("## Compute values with expressions"));
  const { plan, diagnostics } = loadPlan(/^```yaml\n(.*?)^```$/ms.exec(section)![1]);
  assertEquals(diagnostics.map(({ code }) => code), ["no-base-url"]);
  const { sent } = await runInVirtualTime(
    { ...plan!, defaults: { http: { base_url: "http://t" } } },
    {
      env: { API_KEY: "k" },
      respond: () => ({ status: 200, body: '{"id":7,"total":57.5,"state":"open"}' }),
    },
  );
  assertEquals(sent.map(({ target }) => target).sort(), [
    "/api/orders",
    "/api/orders",
    "/api/orders/7/invoice",
    "/api/orders/7/invoice",
  ]);
  const order = JSON.parse(sent[0].body);
  assertEquals([order.total, order.title.startsWith("Order ADA ")], [57.5, true]);
  assertEquals(sent[0].headers["x-signature"].length, 64);
});

Deno.test("the plans in docs/running.md are valid", () => {
  const running = Deno.readTextFileSync(new URL("../docs/running.md", import.meta.url));
  for (const [, text] of running.matchAll(/^```yaml\n(.*?)^```$/gms)) {
    const { diagnostics } = loadPlan(text);
    assertEquals(diagnostics.filter(({ severity }) => severity === "error"), []);
  }
});
