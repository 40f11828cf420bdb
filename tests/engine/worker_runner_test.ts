import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseExactJson } from "../../src/base/exact_number.ts";
import { run } from "../../src/engine/run_plan.ts";
import { workerCount } from "../../src/engine/worker_runner.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import type { Scenario } from "../../src/plan/kinds/executors.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Json } from "../../src/plan/values/values.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";

const flow: Step[] = [{ request: { url: "/" } }];
const open = {
  executor: "constant-arrival-rate",
  duration: 1,
  pre_allocated_vus: 500,
  flow,
} as const;

function count(...scenarios: Scenario[]): number {
  return workerCount({ scenarios: Object.fromEntries(scenarios.map((s, i) => [`s${i}`, s])) }, 4);
}

Deno.test("worker count: depends on the load and the number of CPU cores", () => {
  const slow = [...flow, { think_time: "1s" }];
  assertEquals(count({ executor: "constant-vus", vus: 1_000, duration: 1, flow: slow }), 1);
  assertEquals(count({ executor: "constant-vus", vus: 1_001, duration: 1, flow: slow }), 2);
  assertEquals(count({ executor: "constant-vus", vus: 99_999, duration: 1, flow: slow }), 4);
  assertEquals(count({ ...open, rate: 10_000 }), 1);
  assertEquals(count({ ...open, rate: 6_000 }, { ...open, rate: 6_000 }), 2);
  assertEquals(count({ ...open, rate: 20_000, time_unit: "1m" }), 1);
  assertEquals(count({ ...open, rate: 90_000, pre_allocated_vus: 1, max_vus: 3 }), 3);
  const stages = [{ duration: 1, target: 30_000 }];
  assertEquals(count({ executor: "ramping-arrival-rate", stages, pre_allocated_vus: 9, flow }), 3);
  assertEquals(
    count({ executor: "ramping-vus", stages: [{ duration: 1, target: 2_500 }], flow: slow }),
    3,
  );
});

Deno.test("worker count: closed models without pauses use all cores", () => {
  const busy = { executor: "constant-vus", duration: "1m", flow } as const;
  assertEquals([1, 15, 16, 50].map((vus) => count({ ...busy, vus })), [1, 1, 2, 4]);
  assertEquals(count({ ...busy, vus: 8 }, { ...busy, vus: 16 }), 3);
  const pauses: Partial<Scenario>[] = [
    { think_time: "1s" },
    { pacing: { iterations_per_second: 1 } },
    { throttle: { requests_per_second: 10 } },
    { flow: [{ group: { name: "g", steps: [...flow, { think_time: 1 }] } }] },
    { flow: [{ websocket: { url: "/", steps: [{ wait: "1s" }] } }] },
  ];
  for (const pause of pauses) {
    assertEquals(count({ ...busy, vus: 50, ...pause } as Scenario), 1);
  }
  const scenarios = { s: { ...busy, vus: 50 } };
  assertEquals(workerCount({ scenarios, defaults: { think_time: 1 } }, 4), 1);
  const fixed = { executor: "shared-iterations", vus: 50, flow } as const;
  assertEquals([10_000, 10_001].map((iterations) => count({ ...fixed, iterations })), [1, 4]);
});

/** Runs `plan` on `workers` threads, against a server that calls `respond` for each request. */
async function runOnThreads(
  workers: number,
  { scenarios }: Pick<Plan, "scenarios">,
  respond: (request: Request) => Promise<void>,
): Promise<Summary> {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      await respond(request);
      return new Response();
    },
  );
  const defaults = { http: { base_url: `http://127.0.0.1:${server.addr.port}` } };
  return await run({ defaults, scenarios }, {
    workers,
    onStart: (_, threads) => assertEquals(threads, workers),
    network: networkOptions({}, () => ""),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
}

const ONCE = { executor: "per-vu-iterations", vus: 2, iterations: 1 } as const;

for (const workers of [1, 2]) {
  Deno.test(`after: a scenario starts once the previous scenario has ended in all threads, with ${workers} thread(s)`, async () => {
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const steps = (name: string) => [{ request: { url: `/${name}/\${vu}` } }];
    const scenarios: Plan["scenarios"] = {
      second: { ...ONCE, after: "first", flow: steps("second") },
      first: { ...ONCE, flow: steps("first") },
    };
    const summary = await runOnThreads(workers, { scenarios }, async ({ url }) => {
      const { pathname } = new URL(url);
      seen.push(pathname.split("/")[1]);
      // The VU of one thread ends only after that of the other thread.
      if (pathname === "/first/1") await first.promise;
      if (pathname === "/first/2") setTimeout(first.resolve, 50);
    });
    assertEquals(seen, ["first", "first", "second", "second"]);
    assertEquals(summary.scenarios.map(({ iterations }) => iterations), [2, 2]);
  });

  Deno.test(`run: sends the numbers of a plan verbatim, with ${workers} thread(s)`, async () => {
    const body = '{"id":9007199254740993,"price":1.10}';
    const json = parseExactJson(body) as Json;
    const seen: string[] = [];
    const scenarios = { s: { ...ONCE, flow: [{ request: { url: "/", body: { json } } }] } };
    await runOnThreads(workers, { scenarios }, async (request) => {
      seen.push(await request.text());
    });
    assertEquals(seen, [body, body]);
  });
}

const MODULE = new URL("../support/faulty_worker.ts", import.meta.url);

for (const place of ["timer", "promise"]) {
  Deno.test(`worker: reports an uncaught error in a ${place} to its parent instead of printing it`, async () => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", script(place)],
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    assertStringIncludes(new TextDecoder().decode(stdout), "Error: out of luck");
  });
}

function script(place: string): string {
  return `
    const worker = new Worker("${MODULE}", { type: "module" });
    worker.onmessage = ({ data }) => { console.log(data); worker.terminate(); };
    worker.postMessage("${place}");
  `;
}
