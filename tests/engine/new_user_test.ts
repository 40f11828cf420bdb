import { assertEquals } from "@std/assert";
import { runInVirtualTime, singleScenarioPlan } from "../support/run_in_virtual_time.ts";

/**
 * Runs two iterations and returns the target and the cookies of each request. The engine does not
 * send a request with an unset variable.
 */
async function visits(keys: { readonly new_user?: boolean }): Promise<string[]> {
  const plan = singleScenarioPlan({
    executor: "per-vu-iterations",
    vus: 1,
    iterations: 2,
    ...keys,
    flow: [
      { request: { url: "/carts/${cart}" } },
      {
        request: {
          url: "/new",
          extract: [{ type: "jsonpath", name: "cart", expression: "$.id" }],
        },
      },
    ],
  });
  const { sent } = await runInVirtualTime(plan, {
    respond: (_, n) => ({ headers: [["Set-Cookie", `sid=${n}; Path=/`]], body: `{"id":${n}}` }),
  });
  return sent.map(({ target, headers }) => `${target} ${headers.cookie ?? "-"}`);
}

Deno.test("new_user: each iteration starts without cookies or extracted variables", async () => {
  assertEquals(await visits({ new_user: true }), ["/new -", "/new -"]);
});

Deno.test("new_user: by default, a VU keeps cookies and variables between iterations", async () => {
  assertEquals(await visits({}), ["/new -", "/carts/0 sid=0", "/new sid=1"]);
});
