import { assert, assertEquals } from "@std/assert";
import { freePort } from "../../scripts/local_port.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import type { CounterStats } from "../../src/engine/summary/flow_stats.ts";
import { run } from "../../src/engine/run_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

const STARTS = 300;

/** Server that is killed during its 60th response and restarts 300 ms later. */
class RestartingServer {
  served = 0;
  servedAgain = 0;
  readonly port: number;
  #life = new AbortController();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #restarted: Promise<void> | undefined;

  constructor() {
    this.#server = this.#serve(freePort(), () => {
      if (++this.served === 60) this.#restarted = this.#restart();
      return this.served < 60;
    });
    this.port = this.#server.addr.port;
  }

  async close(): Promise<void> {
    await this.#restarted;
    await this.#server.shutdown();
  }

  #serve(port: number, responds: () => boolean): Deno.HttpServer<Deno.NetAddr> {
    const { signal } = this.#life;
    return Deno.serve(
      { hostname: "127.0.0.1", port, signal, onListen: () => {} },
      () => responds() ? new Response("ok") : new Promise<Response>(() => {}),
    );
  }

  async #restart(): Promise<void> {
    this.#life.abort();
    await this.#server.finished;
    await new Promise((resolve) => setTimeout(resolve, 300));
    this.#life = new AbortController();
    this.#server = this.#serve(this.port, () => ++this.servedAgain > 0);
  }
}

Deno.test("run: counts each request once if the server is killed and restarted", async () => {
  const server = new RestartingServer();
  const plan: Plan = {
    defaults: { http: { base_url: `http://127.0.0.1:${server.port}` } },
    scenarios: {
      open: {
        executor: "constant-arrival-rate",
        rate: STARTS,
        duration: "1s",
        pre_allocated_vus: STARTS,
        flow: [{ request: { url: "/" } }],
      },
    },
  };
  const summary = await run(plan, {
    workers: 1,
    network: networkOptions({}, () => ""),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  await server.close();
  const [{ statuses, failed, count }] = summary.endpoints;
  assertEquals([(summary.metrics.http_reqs as CounterStats).count, count], [STARTS, STARTS]);
  assertEquals(statuses, { "0": failed, "200": STARTS - failed });
  // The last responses before the server was killed may not have been sent.
  const afterRestart = server.servedAgain;
  assert(
    afterRestart > 0 && statuses["200"] >= afterRestart && statuses["200"] <= 59 + afterRestart,
  );
  const kinds = summary.errors.map(({ kind }) => kind);
  // `connect`: the server was killed after the system had accepted a connection for it.
  assert(
    kinds.includes("refused") && kinds.every((kind) => /refused|reset|closed|connect/.test(kind)),
    kinds.join(", "),
  );
});
