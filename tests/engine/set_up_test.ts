import { assertEquals, assertObjectMatch, assertRejects } from "@std/assert";
import { RunError } from "../../src/base/errors.ts";
import { run } from "../../src/engine/run_plan.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../support/run_in_virtual_time.ts";

const ID = "9007199254740993";

/** A plan whose setup logs in and whose teardown logs out. */
function planWithSetup(more: Partial<Plan> = {}): Plan {
  return singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 3, iterations: 2", [{
      request: { url: "/use/${setup.token}/${setup.user.id + 1}" },
    }]),
    {
      setup: [
        {
          request: {
            url: "/login",
            extract: [{ type: "jsonpath", name: "user", expression: "$.user" }],
          },
        },
        { set: { token: "t-${user.name}" } },
      ],
      teardown: [{ request: { url: "/logout/${setup.token}" } }],
      ...more,
    },
  );
}

const respond = () => ({ status: 200, body: `{"user":{"id":${ID},"name":"Ada"}}` });

Deno.test("setup and teardown run once, and all VUs can read the variables that setup sets", async () => {
  const { sent, summary } = await runInVirtualTime(planWithSetup(), { respond });
  const use = `/use/t-Ada/${BigInt(ID) + 1n}`;
  assertEquals(sent.map(({ target }) => target), [
    "/login",
    ...Array(6).fill(use),
    "/logout/t-Ada",
  ]);
  assertObjectMatch(summary.metrics.http_reqs, { count: 6 });
  assertEquals(summary.scenarios.map(({ name, iterations }) => [name, iterations]), [["s", 6]]);
  assertEquals(summary.failure, undefined);
});

Deno.test("a failed setup ends the run before it generates load", async () => {
  for (
    const [response, message] of [
      [{ status: 500, body: "{}" }, "set up"],
      [{ status: 200, body: "{}" }, 'no value found for the variable "user"'],
    ] as const
  ) {
    const sent: string[] = [];
    const options = {
      respond: ({ target }: { target: string }) => {
        sent.push(target);
        return response;
      },
    };
    await assertRejects(
      () => runInVirtualTime(planWithSetup(), options),
      RunError,
      message === "set up" ? "the setup failed, so no load was generated: GET /login" : message,
    );
    assertEquals(sent, ["/login"]);
  }
});

Deno.test("a failed teardown fails the run and keeps its summary", async () => {
  const { summary } = await runInVirtualTime(planWithSetup(), {
    respond: ({ target }) => target.startsWith("/logout") ? { status: 503 } : respond(),
  });
  assertEquals(summary.failure, "the teardown failed");
  assertEquals(summary.passed, false);
  assertEquals(summary.errors, [{
    kind: "assert",
    scenario: "teardown",
    name: "GET /logout/${setup.token}",
    count: 1,
    message: "status 503",
  }]);
});

Deno.test("teardown runs after an interrupted run, but not after a killed one", async () => {
  const plan = planWithSetup();
  const scenario = { executor: "constant-vus", vus: 1, duration: "10s" } as const;
  const long: Plan = { ...plan, scenarios: { s: { ...scenario, flow: [{ think_time: "1s" }] } } };
  for (const signal of ["stop", "kill"] as const) {
    const abort = new AbortController();
    const { sent } = await runInVirtualTime(long, {
      respond,
      [signal]: abort.signal,
      during: { 2500: () => abort.abort() },
    });
    const expected = signal === "stop" ? ["/login", "/logout/t-Ada"] : ["/login"];
    assertEquals(sent.map(({ target }) => target), expected, signal);
  }
});

Deno.test("worker threads receive every digit of the numbers that setup extracts", async () => {
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    seen.push(new URL(request.url).pathname);
    return new Response(respond().body);
  });
  const base_url = `http://127.0.0.1:${server.addr.port}`;
  await run(planWithSetup({ defaults: { http: { base_url } } }), {
    workers: 2,
    network: networkOptions({}, () => ""),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  await server.shutdown();
  assertEquals([seen[0], seen.at(-1)], ["/login", "/logout/t-Ada"]);
  assertEquals(seen.slice(1, -1), Array(6).fill(`/use/t-Ada/${BigInt(ID) + 1n}`));
});
