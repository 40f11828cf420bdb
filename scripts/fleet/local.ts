/**
 * Runs a fleet on this machine. Prints how far apart the shards start, whether all iterations
 * start, whether the merged counts are exact, the CPU time of the leader, and the traffic on the
 * bus. Needs `nats-server` and `nginx`.
 *
 *     deno run -A scripts/fleet/local.ts [--shards 16] [--rate 200] [--seconds 60]
 */
import { parseArgs } from "@std/cli/parse-args";
import { mergeSummaries } from "../../src/engine/metrics/merge_summaries.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { freePort } from "../local_port.ts";
import { busBytes, cpuSeconds, startBus, startProcess } from "./processes.ts";

const options = parseArgs(Deno.args, { string: ["shards", "rate", "seconds"] });
const shards = Number(options.shards ?? 16);
const rate = Number(options.rate ?? 200);
const seconds = Number(options.seconds ?? 60);
const MAIN = new URL("../../main.ts", import.meta.url).pathname;

const folder = await Deno.makeTempDir();
const bus = await startBus();
const target = startTarget();
const fleet = ["--fleet", `nats://127.0.0.1:${bus.port}/local`];
const deno = [Deno.execPath(), "run", "-A", "--no-prompt", MAIN];
try {
  await Deno.writeTextFile(`${folder}/plan.yaml`, plan());
  const joiners = Array.from(
    { length: shards },
    (_, i) =>
      startProcess([...deno, "join", ...fleet, "--quiet", "--summary-export", summaryPath(i)], {
        SHARD: String(i),
      }),
  );
  const leader = startProcess([
    ...[...deno, "run", `${folder}/plan.yaml`, ...fleet, "--shards", String(shards)],
    ...["--summary-export", `${folder}/all.json`],
  ]);
  const cpu = sampleCpu(leader.pid);
  const joinerCpu = Promise.all(joiners.map(({ pid }) => sampleCpu(pid)));
  const { code } = await leader.status;
  const leaderCpu = await cpu;
  for (const { status } of joiners) await status;
  await report(code, leaderCpu);
  const used = (await joinerCpu).reduce((sum, one) => sum + one, 0) / shards;
  console.log(
    `CPU of a shard: ${used.toFixed(1)} s, ${(100 * used / seconds).toFixed(1)} % of one core`,
  );
} finally {
  target.kill();
  await target.status;
  await bus.stop();
  await Deno.remove(folder, { recursive: true });
}

function summaryPath(shard: number): string {
  return `${folder}/${shard}.json`;
}

function plan(): string {
  return `
name: local fleet
defaults:
  http:
    base_url: http://127.0.0.1:${target.port}
    headers: {x-shard: "\${env.SHARD}"}
scenarios:
  main:
    executor: constant-arrival-rate
    rate: ${rate * shards}
    duration: ${seconds}s
    pre_allocated_vus: ${rate * shards}
    flow: [{request: {url: /, name: page}}]
thresholds:
  http_req_failed: ["rate<0.01"]
`;
}

/** Starts an nginx that logs the time and the shard of each request. */
function startTarget() {
  const port = freePort();
  Deno.writeTextFileSync(
    `${folder}/nginx.conf`,
    `worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  log_format shard '$msec $http_x_shard';
  access_log ${folder}/access.log shard;
  server { listen 127.0.0.1:${port}; keepalive_requests 1000000; location / { return 200 "ok"; } }
}`,
  );
  const child = startProcess(["nginx", "-c", `${folder}/nginx.conf`]);
  return { port, status: child.status, kill: () => child.kill("SIGTERM") };
}

/**
 * Samples the CPU time of a process until the process ends. Returns the last sample, in seconds.
 */
async function sampleCpu(pid: number): Promise<number> {
  for (let last = 0;; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const now = cpuSeconds(pid);
    if (now === undefined) return last;
    last = now;
  }
}

async function report(code: number, leaderCpu: number): Promise<void> {
  const read = async (path: string): Promise<Summary> => JSON.parse(await Deno.readTextFile(path));
  const all = await read(`${folder}/all.json`);
  const own = await Promise.all(Array.from({ length: shards }, (_, i) => read(summaryPath(i))));
  const merged = mergeSummaries(own);
  const scheduled = rate * shards * seconds;
  const started = all.timeline.reduce((sum, point) => sum + point.started, 0);
  const log = (await Deno.readTextFile(`${folder}/access.log`)).trim().split("\n")
    .map((line) => line.split(" "));
  const first = new Map<string, number>();
  for (const [time, shard] of log) {
    if (!first.has(shard)) first.set(shard, Number(time) * 1_000);
  }
  // Shard i schedules its first iteration i intervals after the start of the run.
  const due = new Map(own.map(({ shards: [{ shard }] }, i) => [
    String(i),
    (Number(shard.split("/")[0]) - 1) * 1_000 / (rate * shards),
  ]));
  const starts = [...first].map(([shard, time]) => time - due.get(shard)!);
  const measured = all.shards.map(({ started_at }) => Date.parse(started_at));
  const { received, sent } = await busBytes(bus.monitorPort);
  const perShard = (bytes: number) => (bytes / shards / seconds / 1_000).toFixed(1);
  const same = (key: "histograms" | "timeline" | "metrics" | "checks" | "errors") =>
    JSON.stringify(all[key]) === JSON.stringify(merged[key]);
  console.log(`leader: exit code ${code}, ${all.shards.length} shards, ${all.ending}`);
  console.log(`starts of all shards within: ${range(measured).toFixed(0)} ms (as they measured)`);
  console.log(`their first requests reach the server within: ${range(starts).toFixed(0)} ms`);
  console.log(`iterations started: ${started} of ${scheduled}`);
  console.log(`requests in the server's log: ${log.length}`);
  console.log(
    `merged equal the sum of the shards: histograms ${same("histograms")}, ` +
      `metrics ${same("metrics")}, timeline ${same("timeline")}`,
  );
  console.log(
    `leader's CPU: ${leaderCpu.toFixed(1)} s, ${
      (100 * leaderCpu / seconds).toFixed(1)
    } % of one core`,
  );
  console.log(`bus, per shard: ${perShard(received)} kB/s in, ${perShard(sent)} kB/s out`);
}

function range(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}
