/**
 * Compares the HTTP client (`src/http`) with wrk. They take turns against a local nginx that
 * responds with 100 bytes over 64 connections. `--smoke` runs for a fraction of a second against a
 * built-in server.
 *
 *     deno run --frozen -P=bench scripts/bench/http.ts [--seconds 5] [--rounds 3] [--connections 64]
 *       [--tls] [--smoke]
 */
import { parseArgs } from "@std/cli/parse-args";
import { cpuUsage } from "node:process";
import { networkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { resolveUrl } from "../../src/http/url.ts";
import { HttpResponse, type Outgoing, type Sender } from "../../src/http/sender.ts";
import { type Nginx, startNginx } from "./nginx.ts";
import { type Measurement, runPeer } from "./peers.ts";

const args = parseArgs(Deno.args, {
  boolean: ["smoke", "tls"],
  string: ["seconds", "rounds", "connections"],
  default: { seconds: "5", rounds: "3", connections: "64" },
});
const connections = Number(args.connections);
const authority = new URL("../../testdata/tls/ca.pem", import.meta.url);

if (args.smoke) await smoke();
else await compare();

async function smoke(): Promise<void> {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("x".repeat(100)),
  );
  print("rehearse", await ours(`http://127.0.0.1:${server.addr.port}/`, 4, 0.2));
  await server.shutdown();
}

async function compare(): Promise<void> {
  const nginx = await startNginx();
  if (!nginx) return console.log("nginx is not installed: skipped");
  try {
    await compareOn(nginx);
  } finally {
    await nginx.stop();
  }
}

async function compareOn(nginx: Nginx): Promise<void> {
  const url = args.tls ? `https://127.0.0.1:${nginx.tlsPort}/` : `http://127.0.0.1:${nginx.port}/`;
  const seconds = Number(args.seconds);
  await ours(url, connections, 1);
  const target = { url, seconds, connections, streams: 1, threads: 1 };
  const ratios: number[] = [];
  for (let round = 0; round < Number(args.rounds); round++) {
    const [mine, theirs] = [
      await ours(url, connections, seconds),
      await runPeer("wrk", target, []),
    ];
    print("rehearse", mine);
    if (!theirs) continue;
    print("wrk -t1", theirs);
    ratios.push(mine.perSecond / theirs.perSecond);
  }
  const found = ratios.map((ratio) => ratio.toFixed(2)).join(" ");
  console.log(`ratio     ${found || "none: wrk is not installed"}`);
}

async function ours(url: string, vus: number, seconds: number): Promise<Measurement> {
  const sender = networkSender(
    networkOptions(
      { version: "http1", tls: { ca_file: "ca.pem" } },
      () => Deno.readTextFileSync(authority),
    ),
  );
  const request: Outgoing = {
    method: "GET",
    ...resolveUrl(url, undefined),
    headers: [],
    body: undefined,
    timeoutMs: 30_000,
    needs: { headers: false, body: false },
  };
  await untilDone(sender, request, vus, 1);
  const from = performance.now();
  const before = cpuUsage();
  const count = await untilDone(sender, request, vus, from + seconds * 1_000);
  const elapsed = performance.now() - from;
  const { user, system } = cpuUsage(before);
  sender.close();
  return { perSecond: count / elapsed * 1_000, cpuUs: (user + system) / count };
}

async function untilDone(
  sender: Sender,
  request: Outgoing,
  vus: number,
  until: number,
): Promise<number> {
  const counts = await Promise.all(Array.from({ length: vus }, async () => {
    const session = sender.open();
    const response = new HttpResponse();
    let count = 0;
    do {
      await session.send(request, response);
      if (response.error) throw new Error(response.message);
      count++;
    } while (response.startedAt < until);
    return count;
  }));
  return counts.reduce((sum, count) => sum + count);
}

function print(name: string, { perSecond, cpuUs }: Measurement): void {
  console.log(
    `${name.padEnd(10)}${Math.round(perSecond).toString().padStart(8)}/s  ${
      cpuUs.toFixed(1)
    } µs CPU per request`,
  );
}
