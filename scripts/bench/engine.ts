/**
 * The whole engine, closed model, against others in turns: a local nginx answers with 100 bytes over 64
 * connections. `plain` has metrics, names, tags and one check of the status on; `json` parses a body,
 * extracts from it, and sends a jar's cookie. `--workers 2` gives two threads to everybody, nginx too.
 * `--idle 10000` measures the memory of that many VUs that wait, and nothing else. `--smoke` runs a
 * moment against a server of its own. Peers are looked for in the folders of `--peers` and on the PATH.
 *
 *     deno run -A scripts/bench/engine.ts [--seconds 5] [--rounds 3] [--vus 64] [--workers 1] [--tls]
 *       [--idle N] [--peers DIR,DIR] [--smoke]
 */
import { parseArgs } from "@std/cli/parse-args";
import { cpuUsage, memoryUsage } from "node:process";
import { networkOptions } from "../../src/engine/http/network_options.ts";
import { runOnCores } from "../../src/engine/workers/run_on_cores.ts";
import type { CounterFigures, Summary } from "../../src/engine/summary.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Step } from "../../src/plan/schema/step.ts";
import { type Nginx, startNginx } from "./nginx.ts";
import { type Figures, peersFor, runPeer, type Work } from "./peers.ts";

const args = parseArgs(Deno.args, {
  boolean: ["smoke", "tls"],
  string: ["seconds", "rounds", "vus", "workers", "idle", "peers"],
  default: { seconds: "5", rounds: "3", vus: "64", workers: "1", peers: "" },
});
const seconds = Number(args.seconds);
const authority = new URL("../../testdata/tls/ca.pem", import.meta.url);

const FLOWS: Readonly<Record<Work, Step[]>> = {
  plain: [{
    request: {
      name: "page",
      url: "/",
      tags: { kind: "page" },
      checks: [{ type: "status", equals: 200 }],
    },
  }],
  json: [
    { if: { condition: { var: "iteration", equals: 0 }, then: [{ request: { url: "/login" } }] } },
    {
      request: {
        name: "user",
        url: "/json",
        checks: [{ type: "status", equals: 200 }],
        extract: [{ type: "jsonpath", name: "id", expression: "$.user.id" }],
      },
    },
  ],
};

if (args.smoke) await smoke();
else {
  const nginx = await startNginx({ workers: Number(args.workers) });
  if (!nginx) throw new Error("nginx is not installed: install it, or use --smoke");
  try {
    if (args.idle !== undefined) await idle(originOf(nginx), Number(args.idle));
    else await compare(originOf(nginx));
  } finally {
    await nginx.stop();
  }
}

async function smoke(): Promise<void> {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({ user: { id: 1 } }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  for (const work of ["plain", "json"] as const) print("rehearse", await ours(work, url, 0.3));
  await server.shutdown();
}

function originOf({ port, tlsPort }: Nginx): string {
  return args.tls ? `https://127.0.0.1:${tlsPort}` : `http://127.0.0.1:${port}`;
}

async function compare(url: string): Promise<void> {
  for (const work of ["plain", "json"] as const) {
    console.log(`\n${work}, ${args.workers} core(s), ${args.vus} connections`);
    await ours(work, url, 1);
    for (let round = 0; round < Number(args.rounds); round++) await compareOnce(work, url);
  }
}

async function compareOnce(work: Work, url: string): Promise<void> {
  const mine = await ours(work, url, seconds);
  print("rehearse", mine);
  const target = { url, seconds, connections: Number(args.vus), threads: Number(args.workers) };
  for (const name of peersFor(work)) {
    const theirs = await runPeer(name, target, args.peers.split(","));
    if (theirs) print(name, theirs, mine.perSecond / theirs.perSecond);
    else console.log(`${name.padEnd(12)} left out: it is not installed`);
  }
}

async function ours(work: Work, url: string, seconds: number): Promise<Figures> {
  const before = cpuUsage();
  const summary = await play(url, FLOWS[work], { vus: Number(args.vus), duration: seconds });
  const { user, system } = cpuUsage(before);
  const { count, rate } = summary.metrics.http_reqs as CounterFigures;
  return { perSecond: rate, cpuUs: (user + system) / count };
}

/** Every VU makes one request, and then waits. */
async function idle(url: string, vus: number): Promise<void> {
  let rss = 0;
  const flow: Step[] = [{ request: { url: "/" } }, { think_time: "60s" }];
  const { metrics } = await play(url, flow, { vus, duration: 15, graceful_stop: 0 }, () => {
    rss = Math.max(rss, memoryUsage().rss);
  });
  const { count } = metrics.http_reqs as CounterFigures;
  console.log(`${vus} idle VUs, ${count} connections: ${(rss / 1e6).toFixed(0)} MB`);
}

async function play(
  url: string,
  flow: Step[],
  load: { vus: number; duration: number; graceful_stop?: number },
  onTick?: () => void,
): Promise<Summary> {
  const plan: Plan = {
    defaults: { http: { base_url: url, version: "http1", tls: { ca_file: "ca.pem" } } },
    scenarios: { load: { executor: "constant-vus", ...load, flow } },
    thresholds: { "http_req_duration{name:page}": ["p(95)<1000"], http_req_failed: ["rate<0.01"] },
  };
  const summary = await runOnCores(plan, {
    network: networkOptions(plan.defaults!.http!, () => Deno.readTextFileSync(authority)),
    workers: Number(args.workers),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
    onTick,
  });
  if (!summary.passed || summary.errors.length > 0) throw new Error(JSON.stringify(summary.errors));
  return summary;
}

/** `ratio` is ours to theirs. */
function print(name: string, { perSecond, cpuUs }: Figures, ratio?: number): void {
  const cells = [
    name.padEnd(12),
    `${Math.round(perSecond).toString().padStart(8)}/s`,
    `${cpuUs.toFixed(1).padStart(7)} µs CPU each`,
    ratio === undefined ? "" : `   rehearse is ${ratio.toFixed(2)} of it`,
  ];
  console.log(cells.join(""));
}
