/**
 * Connects simulated shards to a real bus and a real leader, and prints a table row with the
 * resources that the leader and the bus use. The shards send no requests: each second, they report
 * what a shard with the given rate would count. Needs `nats-server`.
 *
 *     deno run -A scripts/fleet/simulate.ts [--shards 1000] [--rate 200] [--seconds 30]
 */
import { parseArgs } from "@std/cli/parse-args";
import { decodeMessage, encodeMessage, type FleetAddress } from "../../src/fleet/channel.ts";
import { Totals } from "../../src/fleet/shard_counts.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import type { CounterStats } from "../../src/engine/summary/flow_stats.ts";
import { busBytes, cpuSeconds, peakMegabytes, startBus, startProcess } from "./processes.ts";
import { simulatedDeltas, startSimulatedShard } from "./simulated_shard.ts";

const options = parseArgs(Deno.args, { string: ["shards", "rate", "seconds"] });
const shards = Number(options.shards ?? 1_000);
const rate = Number(options.rate ?? 200);
const seconds = Number(options.seconds ?? 30);
const MAIN = new URL("../../main.ts", import.meta.url).pathname;

const deltas = simulatedDeltas(rate);
const folder = await Deno.makeTempDir();
const bus = await startBus();
try {
  const address: FleetAddress = {
    server: `127.0.0.1:${bus.port}`,
    tls: false,
    files: {},
    run: "simulated",
  };
  await Deno.writeTextFile(
    `${folder}/plan.yaml`,
    `scenarios: {main: {executor: constant-arrival-rate, rate: ${rate * shards}, ` +
      `duration: ${seconds}s, pre_allocated_vus: 1, flow: [{request: {url: /}}]}}\n`,
  );
  const leader = startProcess([
    ...[Deno.execPath(), "run", "-A", "--no-prompt", MAIN, "run", `${folder}/plan.yaml`],
    ...["--base-url", "http://127.0.0.1:1", "--fleet", `nats://${address.server}/${address.run}`],
    ...["--shards", String(shards), "--summary-export", `${folder}/all.json`],
  ]);
  const used = { cpu: 0, megabytes: 0 };
  const watch = setInterval(() => {
    used.cpu = cpuSeconds(leader.pid) ?? used.cpu;
    used.megabytes = peakMegabytes(leader.pid) ?? used.megabytes;
  }, 100);
  const ends = await Promise.all(
    Array.from({ length: shards }, () => startSimulatedShard(address, deltas, seconds)),
  );
  const confirmed = await Promise.all(ends.map((end) => end()));
  const traffic = await busBytes(bus.monitorPort);
  const { code } = await leader.status;
  clearInterval(watch);
  const summary: Summary = JSON.parse(await Deno.readTextFile(`${folder}/all.json`));
  report(summary, code, { ...used, ...traffic, lastMs: Math.max(...confirmed) });
} finally {
  await bus.stop();
  await Deno.remove(folder, { recursive: true });
}

interface Usage {
  readonly cpu: number;
  readonly megabytes: number;
  readonly received: number;
  readonly sent: number;
  /** Time in ms from the end of the schedule until the last shard was confirmed. */
  readonly lastMs: number;
}

function report(summary: Summary, code: number, usage: Usage): void {
  const { count } = summary.metrics.http_reqs as CounterStats;
  const sizes = deltas.map((delta) =>
    encodeMessage({ kind: "delta", from: "x".repeat(36), seq: 1, ...delta }).length
  );
  const perSecond = (bytes: number) => (bytes / seconds / 1e6).toFixed(2);
  const row = {
    shards,
    "requests counted": `${count} of ${rate * shards * seconds}`,
    "exit code": code,
    "bytes per delta": Math.round(sizes.reduce((a, b) => a + b, 0) / sizes.length),
    "CPU µs to decode and add a delta": mergeMicroseconds(),
    "leader's CPU, % of a core": (100 * usage.cpu / seconds).toFixed(1),
    "leader's memory, MB": Math.round(usage.megabytes),
    "bus in, MB/s": perSecond(usage.received),
    "bus out, MB/s": perSecond(usage.sent),
    "last shard confirmed after, ms": Math.round(usage.lastMs),
  };
  for (const [name, value] of Object.entries(row)) console.log(`${name}: ${value}`);
}

/**
 * Returns the CPU time, in µs, needed to decode one second of a shard's counts and add them to the
 * totals.
 */
function mergeMicroseconds(): number {
  const totals = new Totals([], new Map());
  const messages = deltas.map((delta, i) =>
    encodeMessage({ kind: "delta", from: "x", seq: i + 1, ...delta })
  );
  const rounds = 100;
  for (let round = 0, from = 0;; round++) {
    if (round === rounds / 2) from = cpuSeconds(Deno.pid)!;
    for (const [shard, bytes] of messages.entries()) {
      const message = decodeMessage(bytes);
      if (!("kind" in message) || message.kind !== "delta") throw new Error("not a delta");
      totals.add(shard, message);
    }
    if (round === rounds) {
      return Math.round(1e6 * (cpuSeconds(Deno.pid)! - from) / messages.length / (rounds / 2 + 1));
    }
  }
}
