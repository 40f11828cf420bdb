/**
 * Measures how fast lines of each log format are read from memory on one core, in megabytes per
 * second (best of three). Measures each format twice: once only counting requests, and once as if
 * an option needed individual requests.
 *
 *     deno run scripts/bench/formats.ts [--smoke] [--only FORMAT] [--rounds N] [--each-only]
 *
 * Times are reliable only on a quiet machine, unlike instruction counts. To get the instructions of
 * a round, run this script under `perf stat -e instructions:u` with two values of `--rounds`, and
 * compare the counts.
 */
import { parseArgs } from "@std/cli/parse-args";
import { COUNT_ONLY, type RequestUse } from "../../src/traffic/accesslog/collect/collector.ts";
import { detectFormat, resolveFormats } from "../../src/traffic/accesslog/formats/formats.ts";
import { LogScanner } from "../../src/traffic/accesslog/log_scanner.ts";
import { Tally } from "../../src/traffic/accesslog/profile/traffic_profile.ts";
import type { LogFormat } from "../../src/traffic/accesslog/read/log_format.ts";

const args = parseArgs(Deno.args, {
  boolean: ["smoke", "each-only"],
  string: ["only", "rounds"],
});
const { smoke, only, rounds } = args;
const LINES = smoke ? 2_000 : 100_000;
const ROUNDS = Number(rounds ?? (smoke ? 1 : 3));
const CHUNK_BYTES = 256 * 1024;
const AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
  "Chrome/131.0.0.0 Safari/537.36";
const PIPED = "$msec|$request_method|$request_uri|$status|$request_time|$http_user_agent";

interface Facts {
  readonly iso: string;
  readonly clf: string;
  readonly seconds: number;
  readonly client: string;
  readonly target: string;
  readonly path: string;
  readonly status: number;
}

const FORMATS: readonly [name: string, meant: string | undefined, line: (f: Facts) => string][] = [
  ["combined", undefined, combined],
  ["vhost_combined", undefined, (f) => `shop.example:80 ${combined(f)}`],
  ["nginx string", PIPED, (f) => `${f.seconds}.120|GET|${f.target}|${f.status}|0.012|${AGENT}`],
  ["caddy", undefined, (f) =>
    JSON.stringify({
      level: "info",
      ts: f.seconds + 0.12,
      logger: "http.log.access",
      msg: "handled request",
      request: {
        remote_ip: f.client,
        remote_port: "41342",
        proto: "HTTP/2.0",
        method: "GET",
        host: "shop.example",
        uri: f.target,
        headers: { "User-Agent": [AGENT], Accept: ["*/*"], "Accept-Encoding": ["gzip, br"] },
        tls: { resumed: false, version: 772, cipher_suite: 4865, proto: "h2" },
      },
      duration: 0.000929675,
      size: 10900,
      status: f.status,
      resp_headers: { Server: ["Caddy"], "Content-Type": ["text/html; charset=utf-8"] },
    })],
  ["traefik", undefined, (f) =>
    JSON.stringify({
      ClientAddr: `${f.client}:52114`,
      ClientHost: f.client,
      DownstreamContentSize: 452,
      DownstreamStatus: f.status,
      Duration: 1537622,
      RequestHost: "shop.example",
      RequestMethod: "GET",
      RequestPath: f.target,
      RequestProtocol: "HTTP/1.1",
      RouterName: "whoami@docker",
      StartUTC: f.iso,
      "request_User-Agent": AGENT,
      time: f.iso,
    })],
  ["nginx-json", undefined, (f) =>
    JSON.stringify({
      time_iso8601: f.iso,
      remote_addr: f.client,
      request_method: "GET",
      request_uri: f.target,
      status: f.status,
      body_bytes_sent: 452,
      request_time: 0.012,
      http_user_agent: AGENT,
    })],
  [
    "alb",
    undefined,
    (f) =>
      `https ${f.iso} app/my-balancer/50dc6c495c0c9188 ${f.client}:2817 10.0.0.1:80 0.086 0.048 0.037 ` +
      `${f.status} 200 0 57 "GET https://shop.example:443${f.target} HTTP/1.1" "${AGENT}" ` +
      "ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/t/7 " +
      '"Root=1-58337281-1d84f3d73c47ec4e58577259" "shop.example" "-" 1 - "forward" "-" "-"',
  ],
  ["cloudfront", undefined, (f) =>
    [
      ...[f.iso.slice(0, 10), f.iso.slice(11, 19), "LAX1", "392", f.client, "GET", "d1.example"],
      ...[f.path, f.status, "-", AGENT.replaceAll(" ", "%20"), "-", "-", "Hit", "SOX4xwn4XV6Q4rgb"],
      ...["d1.example", "https", "23", "0.001", "-", "TLSv1.2", "ECDHE-RSA-AES128-GCM-SHA256"],
    ].join("\t")],
  [
    "iis",
    undefined,
    (f) =>
      `${f.iso.slice(0, 10)} ${
        f.iso.slice(11, 19)
      } 10.0.0.5 GET ${f.path} page=2&sort=name 443 - ` +
      `${f.client} ${AGENT.replaceAll(" ", "+")} - ${f.status} 0 0 46`,
  ],
];

function combined(f: Facts): string {
  return `${f.client} - - [${f.clf}] "GET ${f.target} HTTP/1.1" ${f.status} 5316 "-" "${AGENT}"`;
}

function buildLog(line: (facts: Facts) => string): Uint8Array {
  const lines: string[] = [];
  for (let i = 0; i < LINES; i++) {
    const seconds = 1_795_255_200 + Math.floor(i / 60);
    const iso = new Date(seconds * 1_000).toISOString();
    const path = `/shop/section-${i % 40}/${i % 3 === 0 ? (i * 7) % 100_000 : "view"}`;
    lines.push(line({
      iso,
      clf: `21/Nov/2026:${iso.slice(11, 19)} +0000`,
      seconds,
      client: `10.${i % 200}.${i % 100}.${i % 50}`,
      path,
      target: i % 5 === 0 ? `${path}?page=${i % 50}&sort=name` : path,
      status: i % 30 === 0 ? 404 : 200,
    }));
  }
  return new TextEncoder().encode(lines.join("\n") + "\n");
}

/** Reads `log` several times. Returns the speed of the fastest round, in megabytes per second. */
function speed(log: Uint8Array, format: LogFormat, use: RequestUse): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const tally = new Tally();
    const scanner = new LogScanner(tally, format, use);
    const start = performance.now();
    for (let i = 0; i < log.length; i += CHUNK_BYTES) {
      scanner.scan(log.subarray(i, i + CHUNK_BYTES));
    }
    scanner.finish();
    best = Math.min(best, performance.now() - start);
    if (tally.requests !== LINES) throw new Error(`${tally.requests} of ${LINES} lines were read`);
  }
  return Math.round(log.length / best / 1_000);
}

const EACH_REQUEST: RequestUse = { filters: [], collectors: [{ add: () => {} }] };

console.log(`${"".padEnd(16)}  counted       each   MB/s`);
for (const [name, meant, line] of FORMATS) {
  if (only !== undefined && only !== name) continue;
  const log = buildLog(line);
  const format = detectFormat(log.subarray(0, 65_536), meant ? resolveFormats(meant) : undefined)!;
  const counted = args["each-only"] ? "" : speed(log, format, COUNT_ONLY);
  const each = speed(log, format, EACH_REQUEST);
  console.log(`${name.padEnd(16)} ${String(counted).padStart(8)} ${String(each).padStart(10)}`);
}
