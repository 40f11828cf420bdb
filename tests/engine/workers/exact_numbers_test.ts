import { assertEquals } from "@std/assert";
import { parseExactJson } from "../../../src/base/exact_json.ts";
import { networkOptions } from "../../../src/http/network_options.ts";
import { runOnCores } from "../../../src/engine/run_on_cores.ts";
import type { Json } from "../../../src/plan/values/values.ts";
import { singleScenarioPlan } from "../../support/run_in_virtual_time.ts";

for (const workers of [1, 2]) {
  Deno.test(`run: sends the numbers of a plan verbatim, with ${workers} thread(s)`, async () => {
    const body = '{"id":9007199254740993,"price":1.10}';
    const seen: string[] = [];
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        seen.push(await request.text());
        return new Response();
      },
    );
    const plan = singleScenarioPlan({
      executor: "per-vu-iterations",
      vus: 2,
      iterations: 1,
      flow: [{ request: { url: "/", body: { json: parseExactJson(body) as Json } } }],
    }, { defaults: { http: { base_url: `http://127.0.0.1:${server.addr.port}` } } });
    await runOnCores(plan, {
      workers,
      network: networkOptions({}, () => ""),
      readFile: () => new Uint8Array(),
      readEnv: () => undefined,
    });
    await server.shutdown();
    assertEquals(seen, [body, body]);
  });
}
