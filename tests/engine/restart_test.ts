import { assert, assertEquals } from "@std/assert";
import { networkOptions } from "../../src/engine/http/network_options.ts";
import type { CounterStats } from "../../src/engine/summary.ts";
import { runOnCores } from "../../src/engine/workers/run_on_cores.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

const STARTS = 300;

/** A server that dies in the middle of its 60th answer, and stands up again 300 ms later. */
class MortalServer {
  served = 0;
  servedAgain = 0;
  readonly port: number;
  #life = new AbortController();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #reborn: Promise<void> | undefined;

  constructor() {
    this.#server = this.#serve(0, () => {
      if (++this.served === 60) this.#reborn = this.#dieAndRise();
      return this.served < 60;
    });
    this.port = this.#server.addr.port;
  }

  async close(): Promise<void> {
    await this.#reborn;
    await this.#server.shutdown();
  }

  #serve(port: number, answers: () => boolean): Deno.HttpServer<Deno.NetAddr> {
    const { signal } = this.#life;
    return Deno.serve(
      { hostname: "127.0.0.1", port, signal, onListen: () => {} },
      () => answers() ? new Response("ok") : new Promise<Response>(() => {}),
    );
  }

  async #dieAndRise(): Promise<void> {
    this.#life.abort();
    await this.#server.finished;
    await new Promise((resolve) => setTimeout(resolve, 300));
    this.#life = new AbortController();
    this.#server = this.#serve(this.port, () => ++this.servedAgain > 0);
  }
}

Deno.test("a server killed in the middle of a run and restarted: each request is told of once", async () => {
  const server = new MortalServer();
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
  const summary = await runOnCores(plan, {
    workers: 1,
    network: networkOptions({}, () => ""),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  await server.close();
  const [{ statuses, failed, count }] = summary.endpoints;
  assertEquals([(summary.metrics.http_reqs as CounterStats).count, count], [STARTS, STARTS]);
  assertEquals(statuses, { "0": failed, "200": STARTS - failed });
  // The last answers before its death may not have left it.
  const sureOnes = server.servedAgain;
  assert(sureOnes > 0 && statuses["200"] >= sureOnes && statuses["200"] <= 59 + sureOnes);
  const kinds = summary.errors.map(({ kind }) => kind);
  assert(kinds.includes("refused") && kinds.every((kind) => /refused|reset|closed/.test(kind)));
});
