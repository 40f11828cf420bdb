/**
 * Compares the engine (closed model) with other load generators, against a local nginx that
 * responds with 100 bytes over 64 connections. The engine and the other tool take turns of a few
 * seconds, because the speed of shared machines changes within seconds.
 *
 * - `plain` records metrics, names and tags and checks the status.
 * - `json` also parses the body, extracts a value and sends a cookie.
 * - `--http2` compares over HTTP/2 and TLS, with `--streams` requests in progress on each
 *   connection. Also compares with the engine over HTTP/1.1 and as many connections as streams.
 * - `--workers 2` uses two threads for the engine, the other tools and nginx.
 * - `--idle N` measures only the memory of N waiting VUs.
 * - `--smoke` runs for a fraction of a second against a built-in server.
 * - `--peers` lists folders to search for the other tools before the PATH.
 *
 *     deno run -A scripts/bench/engine.ts [--seconds 2] [--turns 4] [--rounds 3] [--vus 64]
 *       [--workers 1] [--tls] [--http2] [--streams 1] [--idle N] [--only PEER] [--peers DIR,DIR] [--smoke]
 */
import { parseArgs } from "@std/cli/parse-args";
import { cpuUsage, memoryUsage } from "node:process";
import { networkOptions } from "../../src/http/network_options.ts";
import { run } from "../../src/engine/run_plan.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import type { CounterStats } from "../../src/engine/summary/flow_stats.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { type Nginx, startNginx } from "./nginx.ts";
import { type Measurement, peersFor, runPeer, type Work } from "./peers.ts";

const args = parseArgs(Deno.args, {
  boolean: ["smoke", "tls", "http2"],
  string: ["seconds", "turns", "rounds", "vus", "streams", "workers", "idle", "only", "peers"],
  default: {
    seconds: "2",
    turns: "4",
    rounds: "3",
    vus: "64",
    streams: "1",
    workers: "1",
    peers: "",
  },
});
const seconds = Number(args.seconds);
const authority = new URL("../../testdata/tls/ca.pem", import.meta.url);

const PAGE: Step[] = [{
  request: {
    name: "page",
    url: "/",
    tags: { kind: "page" },
    checks: [{ type: "status", equals: 200 }],
  },
}];
const streams = Number(args.streams);
const branch: Step[] = [{ repeat: { times: 1_000, steps: PAGE } }];

/** Name under which the engine is compared with itself over HTTP/1.1. */
const OWN_HTTP1 = "HTTP/1.1";

const FLOWS: Readonly<Record<Work, Step[]>> = {
  plain: PAGE,
  http2: streams === 1 ? PAGE : [{ parallel: { branches: Array(streams).fill(branch) } }],
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
    if (args.idle !== undefined) await idle(nginxOrigin(nginx), Number(args.idle));
    else await compare(nginxOrigin(nginx));
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
  for (const work of ["plain", "json"] as const) {
    const { perSecond, cpuUs } = await ours(work, url, 0.3);
    console.log(
      `rehearse, ${work}: ${perSecond.toFixed(0)}/s, ${cpuUs.toFixed(1)} µs CPU per request`,
    );
  }
  await server.shutdown();
}

function nginxOrigin({ port, tlsPort, http2Port }: Nginx): string {
  if (args.http2) return `https://127.0.0.1:${http2Port}`;
  return args.tls ? `https://127.0.0.1:${tlsPort}` : `http://127.0.0.1:${port}`;
}

async function compare(url: string): Promise<void> {
  for (const work of args.http2 ? ["http2"] as const : ["plain", "json"] as const) {
    const names = [...peersFor(work), ...(args.http2 ? [OWN_HTTP1] : [])]
      .filter((name) => name === (args.only ?? name));
    if (names.length === 0) continue;
    console.log(`\n${work}, ${args.workers} core(s), ${args.vus} x ${streams} requests at once`);
    console.log("                requests/s  µs CPU   rehearse  µs CPU         ratio");
    await ours(work, url, 1);
    for (let round = 0; round < Number(args.rounds); round++) {
      for (const name of names) await compareWith(name, work, url);
    }
  }
}

async function compareWith(name: string, work: Work, url: string): Promise<void> {
  const [connections, threads] = [Number(args.vus), Number(args.workers)];
  const target = { url, seconds, connections, streams, threads };
  const [mine, theirs]: Measurement[][] = [[], []];
  for (let turn = 0; turn < Number(args.turns); turn++) {
    const measurement = name === OWN_HTTP1
      ? await ours("plain", url, seconds, connections * streams)
      : await runPeer(name, target, args.peers.split(","));
    if (measurement === undefined) return console.log(`${name.padEnd(12)} is not installed`);
    theirs.push(measurement);
    mine.push(await ours(work, url, seconds));
  }
  print(name, mean(theirs), mean(mine));
}

function mean(all: readonly Measurement[]): Measurement {
  const meanOf = (value: (one: Measurement) => number) =>
    all.reduce((sum, one) => sum + value(one), 0) / all.length;
  return { perSecond: meanOf(({ perSecond }) => perSecond), cpuUs: meanOf(({ cpuUs }) => cpuUs) };
}

async function ours(
  work: Work,
  url: string,
  seconds: number,
  vus = Number(args.vus),
): Promise<Measurement> {
  const before = cpuUsage();
  const load = { vus, duration: seconds, ...(streams > 1 && { graceful_stop: 0 }) };
  const summary = await runFlow(url, FLOWS[work], load, work === "http2" ? "http2" : "http1");
  const { user, system } = cpuUsage(before);
  const { count, rate } = summary.metrics.http_reqs as CounterStats;
  return { perSecond: rate, cpuUs: (user + system) / count };
}

/** Measures the memory of waiting VUs. Each VU sends one request and then waits. */
async function idle(url: string, vus: number): Promise<void> {
  let rss = 0;
  const flow: Step[] = [{ request: { url: "/" } }, { think_time: "60s" }];
  const load = { vus, duration: 15, graceful_stop: 0 };
  const { metrics } = await runFlow(url, flow, load, args.http2 ? "http2" : "http1", () => {
    rss = Math.max(rss, memoryUsage().rss);
  });
  const { count } = metrics.http_reqs as CounterStats;
  console.log(`${vus} idle VUs, ${count} connections: ${(rss / 1e6).toFixed(0)} MB`);
}

async function runFlow(
  url: string,
  flow: Step[],
  load: { vus: number; duration: number; graceful_stop?: number },
  version: "http1" | "http2",
  onTick?: () => void,
): Promise<Summary> {
  const plan: Plan = {
    defaults: { http: { base_url: url, version, tls: { ca_file: "ca.pem" } } },
    scenarios: { load: { executor: "constant-vus", ...load, flow } },
    thresholds: {
      "http_req_duration{name:page}": [{ threshold: "p(95)<1000", optional: true }],
      http_req_failed: ["rate<0.01"],
    },
  };
  const summary = await run(plan, {
    network: networkOptions(plan.defaults!.http!, () => Deno.readTextFileSync(authority)),
    workers: Number(args.workers),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
    onTick,
  });
  if (!summary.passed || summary.errors.length > 0) throw new Error(JSON.stringify(summary.errors));
  return summary;
}

function print(name: string, theirs: Measurement, mine: Measurement): void {
  const cells = [theirs, mine].map(({ perSecond, cpuUs }) =>
    `${perSecond.toFixed(0).padStart(11)}${cpuUs.toFixed(1).padStart(8)}`
  );
  const ratio = mine.perSecond / theirs.perSecond;
  console.log(`${name.padEnd(15)}${cells.join("")}${ratio.toFixed(2).padStart(14)}`);
}
