import { assertEquals } from "@std/assert";
import { networkOptions } from "../../../src/http/network_options.ts";
import { runOnCores } from "../../../src/engine/run_on_cores.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";

for (const workers of [1, 2]) {
  Deno.test(`after: a scenario starts once the previous scenario has ended in all threads, with ${workers} thread(s)`, async () => {
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async ({ url }) => {
        const { pathname } = new URL(url);
        seen.push(pathname);
        // The VU of one thread ends only after that of the other thread.
        if (pathname === "/first/1") await first.promise;
        if (pathname === "/first/2") setTimeout(first.resolve, 50);
        return new Response();
      },
    );
    const steps = (name: string) => [{ request: { url: `/${name}/\${vu}` } }];
    const once = { executor: "per-vu-iterations", vus: 2, iterations: 1 } as const;
    const plan: Plan = {
      defaults: { http: { base_url: `http://127.0.0.1:${server.addr.port}` } },
      scenarios: {
        second: { ...once, after: "first", flow: steps("second") },
        first: { ...once, flow: steps("first") },
      },
    };
    const summary = await runOnCores(plan, {
      workers,
      network: networkOptions({}, () => ""),
      readFile: () => new Uint8Array(),
      readEnv: () => undefined,
    });
    await server.shutdown();
    assertEquals(seen.map((path) => path.split("/")[1]), ["first", "first", "second", "second"]);
    assertEquals(summary.scenarios.map(({ iterations }) => iterations), [2, 2]);
  });
}
