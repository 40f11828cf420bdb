import { assert, assertEquals } from "@std/assert";
import { networkOptions } from "../../src/http/network_options.ts";
import { run } from "../../src/engine/run_plan.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import type { TrendStats } from "../../src/engine/summary/flow_stats.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

/** Server that counts requests. The path sets the status and the delay in ms. */
class CountingServer implements AsyncDisposable {
  requests = 0;
  /** Shortest delay of a response to a delayed request, in milliseconds. */
  shortestDelay = Infinity;
  readonly paths = new Map<string, number>();
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      this.requests++;
      const { pathname } = new URL(request.url);
      this.paths.set(pathname, (this.paths.get(pathname) ?? 0) + 1);
      await request.text();
      const [, status, ms] = pathname.split("/").map(Number);
      if (ms > 0) {
        const from = performance.now();
        await new Promise((resolve) => setTimeout(resolve, ms));
        this.shortestDelay = Math.min(this.shortestDelay, performance.now() - from);
      }
      return new Response("x".repeat(100), { status });
    },
  );

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function runPlan(plan: Plan, workers: number): Promise<Summary> {
  return run(plan, {
    workers,
    network: networkOptions(plan.defaults?.http ?? {}, () => ""),
    readFile: () => new TextEncoder().encode("id\n1\n2\n3\n"),
    readEnv: (name) => name === "WORD" ? "word" : undefined,
  });
}

for (const workers of [1, 2]) {
  Deno.test(`run: the summary counts the same requests as the server, with ${workers} thread(s)`, async () => {
    await using server = new CountingServer();
    const plan: Plan = {
      defaults: { http: { base_url: server.url } },
      data: { d: { type: "csv", path: "rows.csv" } },
      scenarios: {
        closed: {
          executor: "shared-iterations",
          vus: 4,
          iterations: 101,
          flow: [
            { request: { url: "/200/0", body: "body ${env.WORD}" } },
            { request: { name: "missing", url: "/404/0?${data.d.id}" } },
          ],
        },
        open: {
          executor: "constant-arrival-rate",
          rate: 100,
          duration: "1s",
          pre_allocated_vus: 100, // no iteration is dropped even if the machine is busy
          flow: [{ request: { url: "/200/30" } }],
        },
      },
    };
    const summary = await runPlan(plan, workers);
    assertEquals(summary.errors, []);
    assertEquals((summary.metrics.http_reqs as { count: number }).count, server.requests);
    assertEquals(server.requests, 302);
    const byName = Object.fromEntries(summary.endpoints.map((e) => [e.name, e]));
    assertEquals(byName["missing"].statuses, { "404": 101 });
    assertEquals(byName["missing"].failed, 101);
    assertEquals(byName["GET /200/30"].count, server.paths.get("/200/30"));
    // The histogram keeps three significant digits of a duration.
    assert(byName["GET /200/30"].http_req_duration.min >= server.shortestDelay * 0.999);
    const corrected = summary.metrics.http_req_latency_corrected as TrendStats;
    assertEquals(corrected.count, 100);
    assertEquals(summary.scenarios.map(({ iterations, dropped }) => [iterations, dropped]), [[
      101,
      0,
    ], [100, 0]]);
  });
}

Deno.test("run: rejects a plan that cannot run, both with and without worker threads", async () => {
  const plan: Plan = {
    scenarios: {
      s: { executor: "constant-vus", vus: 2, duration: 1, flow: [{ request: { url: "/x" } }] },
    },
  };
  for (const workers of [1, 2]) {
    const error = await runPlan(plan, workers).then(() => undefined, (error: Error) => error);
    assertEquals(error?.name, "InputError");
  }
});
