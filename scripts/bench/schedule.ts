/**
 * Measures how well the engine keeps a schedule: `constant-arrival-rate` against a local nginx, or
 * with `--smoke` against a built-in server for a fraction of a second. Prints the start delay of
 * iterations, the rate, and the CPU usage. On Linux, also prints how long the main thread was ready
 * to run but had no core, because the engine cannot avoid that delay.
 *
 *     deno run -A scripts/bench/schedule.ts [--seconds 10] [--smoke]
 */
import { parseArgs } from "@std/cli/parse-args";
import { cpuUsage } from "node:process";
import { networkOptions } from "../../src/http/network_options.ts";
import { run } from "../../src/engine/run_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { startNginx } from "./nginx.ts";

const args = parseArgs(Deno.args, {
  boolean: ["smoke"],
  string: ["seconds"],
  default: { seconds: "10" },
});

if (args.smoke) await smoke();
else await measure();

async function smoke(): Promise<void> {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("ok"),
  );
  await measureRate(`http://127.0.0.1:${server.addr.port}`, 200, 0.3);
  await server.shutdown();
}

async function measure(): Promise<void> {
  const nginx = await startNginx();
  if (!nginx) throw new Error("nginx is not installed: install it, or use --smoke");
  try {
    const url = `http://127.0.0.1:${nginx.port}`;
    await measureRate(url, 1_000, 1);
    for (const rate of [1_000, 5_000]) await measureRate(url, rate, Number(args.seconds));
  } finally {
    await nginx.stop();
  }
}

async function measureRate(url: string, rate: number, seconds: number): Promise<void> {
  const plan: Plan = {
    defaults: { http: { base_url: url, version: "http1" } },
    scenarios: {
      load: {
        executor: "constant-arrival-rate",
        rate,
        duration: seconds,
        pre_allocated_vus: 100,
        max_vus: 500,
        flow: [{ request: { url: "/", checks: [{ type: "status", equals: 200 }] } }],
      },
    },
  };
  const before = cpuUsage();
  const waitedBefore = waitedForCore();
  const summary = await run(plan, {
    network: networkOptions(plan.defaults!.http!, () => ""),
    workers: 1,
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  const { user, system } = cpuUsage(before);
  const [{ schedule_lag_us: lag, iterations, dropped }] = summary.scenarios;
  const cpu = (user + system) / seconds / 1e4;
  const waited = (waitedForCore() - waitedBefore) / seconds;
  console.log(
    `${rate}/s for ${seconds} s: started ${iterations} of ${rate * seconds}, ` +
      `dropped ${dropped}; start delay p50 ${lag!.med} µs, p99 ${lag!["p(99)"]} µs, ` +
      `max ${lag!.max} µs; CPU ${cpu.toFixed(0)}%, ` +
      `waiting for a core ${waited.toFixed(1)} ms/s`,
  );
}

/**
 * Returns how long the main thread has been ready to run but had no core, in milliseconds. Returns
 * NaN except on Linux.
 */
function waitedForCore(): number {
  if (Deno.build.os !== "linux") return NaN;
  return Number(Deno.readTextFileSync("/proc/self/schedstat").split(" ")[1]) / 1e6;
}
