/**
 * The whole engine, one core, closed model, against wrk in turns: a local nginx answers with 100 bytes
 * over 64 connections. `plain` has metrics, names, tags and one check of the status on; `json` parses a
 * body, extracts from it, and sends a jar's cookie. `--smoke` runs a moment against a server of its own.
 *
 *     deno run -A scripts/bench/engine.ts [--seconds 5] [--rounds 3] [--vus 64] [--smoke]
 */
import { parseArgs } from "@std/cli/parse-args";
import { cpuUsage, memoryUsage } from "node:process";
import { networkOptions } from "../../src/engine/http/network_options.ts";
import { runOnCores } from "../../src/engine/workers/run_on_cores.ts";
import type { CounterFigures, Summary } from "../../src/engine/summary.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Step } from "../../src/plan/schema/step.ts";
import { startNginx } from "./nginx.ts";

const args = parseArgs(Deno.args, {
  boolean: ["smoke"],
  string: ["seconds", "rounds", "vus", "workers"],
  default: { seconds: "5", rounds: "3", vus: "64", workers: "1" },
});

const PLAIN: Step[] = [{
  request: {
    name: "page",
    url: "/",
    tags: { kind: "page" },
    checks: [{ type: "status", equals: 200 }],
  },
}];
const JSON_FLOW: Step[] = [
  { if: { condition: { var: "iteration", equals: 0 }, then: [{ request: { url: "/login" } }] } },
  {
    request: {
      name: "user",
      url: "/json",
      checks: [{ type: "status", equals: 200 }],
      extract: [{ type: "jsonpath", name: "id", expression: "$.user.id" }],
    },
  },
];

if (args.smoke) await smoke();
else await compare();

async function smoke(): Promise<void> {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({ user: { id: 1 } }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  await ours("plain", url, PLAIN, 0.3);
  await ours("json", url, JSON_FLOW, 0.3);
  await server.shutdown();
}

async function compare(): Promise<void> {
  const nginx = await startNginx();
  if (!nginx) throw new Error("nginx is not installed: install it, or use --smoke");
  try {
    const url = `http://127.0.0.1:${nginx.port}`;
    const seconds = Number(args.seconds);
    await ours("warm-up", url, PLAIN, 1);
    for (let round = 0; round < Number(args.rounds); round++) {
      const plain = await ours("plain", url, PLAIN, seconds);
      const json = await ours("json", url, JSON_FLOW, seconds);
      const theirs = await wrk(url, seconds);
      const ratio = (mine: number) => (mine / theirs).toFixed(2);
      console.log(`ratios    plain ${ratio(plain)}, json ${ratio(json)} of wrk\n`);
    }
  } finally {
    await nginx.stop();
  }
}

async function ours(name: string, url: string, flow: Step[], seconds: number): Promise<number> {
  const plan: Plan = {
    defaults: { http: { base_url: url, version: "http1" } },
    scenarios: {
      load: { executor: "constant-vus", vus: Number(args.vus), duration: seconds, flow },
    },
    thresholds: { "http_req_duration{name:page}": ["p(95)<1000"], http_req_failed: ["rate<0.01"] },
  };
  const before = cpuUsage();
  const summary = await runOnCores(plan, {
    network: networkOptions(plan.defaults!.http!, () => ""),
    workers: Number(args.workers),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  const { user, system } = cpuUsage(before);
  return report(name, summary, user + system);
}

function report(name: string, summary: Summary, cpuUs: number): number {
  const { count, rate } = summary.metrics.http_reqs as CounterFigures;
  if (!summary.passed || summary.errors.length > 0) throw new Error(JSON.stringify(summary.errors));
  const rss = Math.round(memoryUsage().rss / 1e6);
  console.log(
    `${name.padEnd(10)}${perSecond(rate)}  ${(cpuUs / count).toFixed(1)} µs CPU each, ${rss} MB`,
  );
  return rate;
}

async function wrk(url: string, seconds: number): Promise<number> {
  const { stdout } = await new Deno.Command("wrk", {
    args: [`-t${args.workers}`, `-c${args.vus}`, `-d${seconds}s`, `${url}/`],
  }).output();
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(new TextDecoder().decode(stdout))?.[1]);
  console.log(`wrk -t${args.workers}   ${perSecond(rate)}`);
  return rate;
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toString().padStart(8)}/s`;
}
