import { assert, assertEquals } from "@std/assert";
import { openBytes } from "../../../src/base/bytes/open_bytes.ts";
import { buildFilters } from "../../../src/traffic/accesslog/collect/filters.ts";
import {
  COMBINED,
  detectFormat,
  resolveFormats,
  withClient,
} from "../../../src/traffic/accesslog/formats/formats.ts";
import { LogScanner } from "../../../src/traffic/accesslog/log_scanner.ts";
import { serializeProfile } from "../../../src/traffic/accesslog/profile/parse_profile.ts";
import { TrafficProfile } from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import type { LogFormat } from "../../../src/traffic/accesslog/read/log_format.ts";
import {
  createCollector,
  type LogUse,
  readSliced,
  SLICE_BYTES,
} from "../../../src/traffic/accesslog/slices.ts";

const KINDS = ["ids", "queries", "visits", "timings", "statuses"] as const;
const PIPED =
  "$msec|$remote_addr|$request_method|$request_uri|$status|$request_time|$http_user_agent";

interface Facts {
  readonly ms: number;
  readonly client: string;
  readonly target: string;
  readonly status: number;
  readonly agent: string;
}

function combined({ ms, client, target, status, agent }: Facts): string {
  const time = new Date(ms).toISOString().slice(11, 19);
  return `${client} - - [21/Nov/2026:${time} +0000] "GET ${target} HTTP/1.1" ${status} 5 "-" "${agent}"`;
}

function json({ ms, client, target, status, agent }: Facts): string {
  return JSON.stringify({
    ClientHost: "10.9.9.9",
    RealClient: client,
    DownstreamStatus: status,
    RequestMethod: "GET",
    RequestPath: target,
    StartUTC: new Date(ms).toISOString(),
    "request_User-Agent": agent,
  });
}

const [piped] = resolveFormats(PIPED);
const [traefik] = resolveFormats("traefik");
const FORMATS: Readonly<Record<string, readonly [(facts: Facts) => string, () => LogFormat]>> = {
  combined: [combined, () => COMBINED],
  "combined in a wrapper": [
    (facts) => `2026-11-21T10:00:00.1Z stdout F ${combined(facts)}`,
    () => {
      const line = `2026-11-21T10:00:00.1Z stdout F ${combined(factsOf(1))}\n`;
      return detectFormat(new TextEncoder().encode(line))!;
    },
  ],
  "an nginx string": [
    ({ ms, client, target, status, agent }) =>
      `${ms / 1_000}|${client}|GET|${target}|${status}|0.012|${agent}`,
    () => piped,
  ],
  "JSON with another client": [json, () => withClient(traefik, "RealClient")],
};

function factsOf(i: number): Facts {
  return {
    ms: Date.UTC(2026, 10, 21) + i * 200 - (i % 50 === 0 ? 3_000 : 0),
    client: `10.0.${i * 7 % 40}.${i * 13 % 200}`,
    target: i % 3 === 0
      ? `/users/${i % 700}/orders?page=${i % 40}`
      : `/shop/${"abcdef"[i % 6]}.html`,
    status: [200, 200, 302, 404, 500][i % 5],
    agent: ["Mozilla/5.0 (X11; Linux x86_64) Firefox/132.0", "curl/8.5"][i % 2] + " ".repeat(700),
  };
}

for (const [name, [lineOf, createFormat]] of Object.entries(FORMATS)) {
  Deno.test(`several threads collect the same data from a log in ${name} as a single thread`, async () => {
    const lines = Array.from({ length: 24_000 }, (_, i) => lineOf(factsOf(i)));
    const log = new TextEncoder().encode(lines.join("\n"));
    assert(log.length > 2 * SLICE_BYTES);
    const path = await Deno.makeTempFile({ suffix: ".log" });
    try {
      await Deno.writeFile(path, log);
      const whole = await collect(createFormat(), (profile, format, use) => {
        const scanner = new LogScanner(profile, format, use);
        scanner.scan(log);
        profile.endSource(log.length, scanner.finish());
      });
      assert(whole[0].includes('"--status"'));
      const sliced = await collect(createFormat(), async (profile, format, use) => {
        const source = await openBytes(path, () => new ReadableStream());
        const thread = new URL("../../../src/traffic/accesslog/worker.ts", import.meta.url);
        await readSliced(source, profile, {
          use,
          format,
          thread,
          threads: 3,
          report: () => {},
        });
      });
      for (const [i, expected] of whole.entries()) {
        assertEquals(sliced[i] === expected, true, `${i}`);
      }
    } finally {
      await Deno.remove(path);
    }
  });
}

/** Returns the profile and the contents of all collectors after `read` has read a log. */
async function collect(
  format: LogFormat,
  read: (profile: TrafficProfile, format: LogFormat, use: LogUse) => Promise<void> | void,
): Promise<string[]> {
  const filterOptions = { statuses: ["2xx", "404"], exclude: [/b\.html$/], noBots: true };
  const filters = buildFilters(filterOptions);
  const collectors = await Promise.all(KINDS.map((kind) => createCollector({ kind })));
  const profile = new TrafficProfile();
  profile.beginSource("log");
  await read(profile, format, { filters, filterOptions, collectors });
  return [
    serializeProfile(profile, filters),
    ...collectors.map((collector) => JSON.stringify(collector.toJson())),
  ];
}
