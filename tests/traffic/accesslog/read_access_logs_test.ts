import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import fc, { COSTLY } from "fast-check";
import { makeLog } from "../../../scripts/make_log.ts";
import { ByteSource } from "../../../src/base/bytes/byte_source.ts";
import { openBytes } from "../../../src/base/bytes/open_bytes.ts";
import { InputError } from "../../../src/base/errors.ts";
import { buildFilters } from "../../../src/traffic/accesslog/collect/filters.ts";
import { collectIds } from "../../../src/traffic/accesslog/collect/request_url.ts";
import {
  COMBINED,
  detectFormat,
  resolveFormats,
  withClient,
} from "../../../src/traffic/accesslog/formats/formats.ts";
import { LogScanner } from "../../../src/traffic/accesslog/log_scanner.ts";
import {
  parseProfile,
  serializeProfile,
} from "../../../src/traffic/accesslog/profile/parse_profile.ts";
import { TrafficProfile } from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import type { LogFormat } from "../../../src/traffic/accesslog/read/log_format.ts";
import {
  readAccessLogs,
  type ReadProgress,
} from "../../../src/traffic/accesslog/read_access_logs.ts";
import {
  createCollector,
  type LogUse,
  readSliced,
  SLICE_BYTES,
} from "../../../src/traffic/accesslog/slices.ts";
import { logArbitrary, noiseArbitrary } from "../../builders/accesslog_lines.ts";
import { referenceProfile } from "../../oracles/accesslog_reference.ts";
import { FORMAT_SAMPLES } from "../../support/format_samples.ts";
import { READ_EACH_LINE, readLines } from "../../support/read_lines.ts";
import { sharedFiles } from "../../support/shared_data.ts";
import { TempFolder } from "../../support/temp_folder.ts";

const stdin = () => new ReadableStream<Uint8Array>();
const BUNDLED = new URL("../../../testdata/logs/apache_combined_10k.log", import.meta.url);

async function read(...paths: (string | URL)[]): Promise<TrafficProfile> {
  const sources: ByteSource[] = [];
  for (const path of paths) {
    sources.push(await openBytes(path instanceof URL ? fromFileUrl(path) : path, stdin));
  }
  return await readAccessLogs(sources.map((source) => ({ source })));
}

const COUNT_ONLY: LogUse = { filters: [], collectors: [] };

/** Returns options for `readSliced` with `threads` threads. */
function slicedReading(
  threads: number,
  format: LogFormat = COMBINED,
  report: () => void = () => {},
) {
  const thread = new URL("../../../src/traffic/accesslog/worker.ts", import.meta.url);
  return { use: COUNT_ONLY, format, thread, threads, report };
}

async function withFile(bytes: Uint8Array, use: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".log" });
  try {
    await Deno.writeFile(path, bytes);
    await use(path);
  } finally {
    await Deno.remove(path);
  }
}

for (const url of [BUNDLED, ...sharedFiles("logs")]) {
  Deno.test(`readAccessLogs builds the same profile as the reference parser for ${url.pathname.split("/").at(-1)}`, async () => {
    const found = JSON.parse(serializeProfile(await read(url)));
    assertEquals(JSON.stringify(found), JSON.stringify(referenceProfile(Deno.readFileSync(url))));
    assert(found.requests > 5_000);
  });
}

Deno.test("readAccessLogs reports the log and the line number of a malformed line in one of several logs", async () => {
  const good = 'h - - [02/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1';
  const encoder = new TextEncoder();
  await withFile(encoder.encode(`${good}\n${good}`), async (first) => {
    await withFile(encoder.encode(`${good}\nno\n`), async (second) => {
      const profile = await read(first, second);
      assertEquals([profile.requests, profile.malformed, profile.lines], [3, 1, 4]);
      const { place } = profile.firstMalformed!;
      assertEquals(place, {
        source: second,
        offset: good.length + 1,
        line: 2,
        column: 1,
        snippet: "no",
      });
    });
  });
});

Deno.test("readAccessLogs names the format of the first malformed line, and a profile keeps it", async () => {
  const { combined, gcp } = FORMAT_SAMPLES;
  const handshake = combined.replace(/"GET[^"]*"/, '"\\x16\\x03"');
  const lines = [combined, handshake, combined, gcp, combined];
  await withFile(new TextEncoder().encode(lines.join("\n")), async (path) => {
    const profile = await read(path);
    const formats = (from: TrafficProfile) =>
      from.malformedSamples().map(({ reason, format }) => [reason, format]);
    const expected = [["bad-request", undefined], ["no-timestamp", "gcp"]];
    assertEquals(formats(profile), expected);
    assertEquals(formats(parseProfile(serializeProfile(profile), "p").profile), expected);
  });
});

Deno.test("readAccessLogs builds the same profile with one thread and with several", async () => {
  const chunks = [...makeLog({ bytes: 20_000_000, seed: 5, uniquePaths: 20_000 })];
  const log = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  // The first malformed line is in a later slice, so that its line number depends on earlier
  // slices.
  for (let i = 0; i < 18_000_000; i++) if (log[i] === 0x5c) log[i] = 0x78;
  await withFile(log, async (path) => {
    const whole = serializeProfile(await read(path));
    for (const threads of [1, 2, 3]) {
      const profile = new TrafficProfile();
      profile.beginSource(path);
      await readSliced(await openBytes(path, stdin), profile, slicedReading(threads));
      assertEquals(serializeProfile(profile) === whole, true);
    }
  });
});

Deno.test("readSliced reads a file without line endings and a file that contains only blank lines", async () => {
  for (const log of [new Uint8Array(17 << 20).fill(0x78), new Uint8Array(17 << 20).fill(0x0a)]) {
    await withFile(log, async (path) => {
      const profile = new TrafficProfile();
      profile.beginSource(path);
      await readSliced(await openBytes(path, stdin), profile, slicedReading(2));
      assertEquals(serializeProfile(profile), serializeProfile(await read(path)));
    });
  }
});

Deno.test({
  name: "readSliced reports an error if the file shrinks, is replaced or is moved",
  ignore: Deno.build.os === "windows", // which cannot truncate or move an open file
  fn: async () => {
    const log = new Uint8Array(20 << 20).fill(0x0a);
    const faults: [damage: (path: string) => void, reason: string][] = [
      [
        (path) => Deno.truncateSync(path, 9 << 20),
        "it shrank while it was being read: it had 20971520 bytes",
      ],
      [
        (path) => Deno.truncateSync(path, 0),
        "it shrank while it was being read: it had 20971520 bytes",
      ],
      [replace, "another file replaced it"],
      [(path) => Deno.renameSync(path, `${path}.1`), "it was moved or deleted"],
    ];
    using temp = new TempFolder();
    const folder = temp.path;
    for (const threads of [1, 2]) {
      for (const [damage, reason] of faults) {
        const path = `${folder}/access.log`;
        await Deno.writeFile(path, log);
        using source = await openBytes(path, stdin);
        damage(path);
        const profile = new TrafficProfile();
        await assertRejects(
          async () => await readSliced(source, profile, slicedReading(threads)),
          InputError,
          `cannot read ${path}: ${reason}`,
        );
      }
    }
  },
});

function replace(path: string): void {
  Deno.copyFileSync(path, `${path}.new`);
  Deno.renameSync(`${path}.new`, path);
}

Deno.test("readAccessLogs reports the total size only if the size of every input is known", async () => {
  const seen: ReadProgress[] = [];
  const source = await openBytes(fromFileUrl(BUNDLED), stdin);
  await readAccessLogs([{ source }], { onProgress: (progress) => seen.push(progress) });
  const size = Deno.statSync(BUNDLED).size;
  assert(seen.length > 0 && seen.every(({ done, total }) => done <= size && total === size));
  const stream = await openBytes("-", () => new Blob(["x\n"]).stream());
  await readAccessLogs([{ source: stream }], {
    onProgress: ({ total }) => assertEquals(total, undefined),
  });
});

Deno.test("readAccessLogs reports an error for a truncated compressed log", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    throw new Error("it is cut off");
  }
  const source = new ByteSource({ name: "x.gz" }, broken(), () => 10, () => {});
  await assertRejects(
    () => readAccessLogs([{ source }]),
    InputError,
    "cannot read x.gz: it is cut off",
  );
});

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

const encoder = new TextEncoder();
const REQUEST = '1.2.3.4 - - [02/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1';

function scanLog(log: Uint8Array, chunkLength?: number): TrafficProfile {
  return readLines(log, COMBINED, { chunkLength });
}

/**
 * Asserts that `LogScanner`, with and without the line counter, agrees with the reference parser if
 * it gets chunks of `chunkLength` bytes.
 */
function assertMatchesReference(log: Uint8Array, chunkLength?: number): void {
  const expected = referenceProfile(log);
  for (const collectors of [[], [READ_EACH_LINE]]) {
    const profile = readLines(log, COMBINED, { chunkLength, collectors });
    const found = JSON.parse(serializeProfile(profile));
    // assertEquals is slow for large objects even if they are equal.
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    assertEquals(found, expected);
    throw new Error("the members of the profile are in a different order");
  }
}

function assertOne(line: string, key: string | undefined): void {
  const profile = scanLog(encoder.encode(line));
  const [found] = profile.top(1);
  assertEquals(found === undefined ? undefined : `${found.method} ${found.route}`, key, line);
  assertMatchesReference(encoder.encode(line));
}

Deno.test("LogScanner builds the same profile as the reference parser from generated lines in random chunks", () => {
  fc.assert(
    fc.property(logArbitrary, fc.integer({ min: 1, max: 400 }), assertMatchesReference),
  );
});

Deno.test("LogScanner builds the same profile as the reference parser from random bytes", () => {
  fc.assert(
    fc.property(noiseArbitrary, fc.integer({ min: 1, max: 64 }), assertMatchesReference),
    COSTLY,
  );
});

Deno.test("LogScanner reads every form of a request line", () => {
  const line = (request: string) => `h - - [02/Mar/2026:10:00:00 +0000] "${request}" 200 -`;
  assertOne(line("GET /a?b=c/17 HTTP/1.1"), "GET /a");
  assertOne(line("GET /a"), "GET /a");
  assertOne(line("GET /a b HTTP/2.0"), "GET /a b");
  assertOne(line("GET /a b"), undefined);
  assertOne(line("OPTIONS * HTTP/1.1"), "OPTIONS *");
  assertOne(line("GET https://example.com HTTP/1.1"), "GET /");
  assertOne(line("GET https://example.com:8443/a/1?x HTTP/1.1"), "GET /a/${vars.id}");
  assertOne(line("GET example.com/a HTTP/1.1"), undefined);
  assertOne(line("CONNECT example.com:443 HTTP/1.1"), undefined);
  assertOne(line("CONNECT /a HTTP/1.1"), undefined);
  assertOne(line("PRI * HTTP/2.0"), undefined);
  assertOne(line("PRINT / HTTP/1.1"), "PRINT /");
  assertOne(line("A_B /a HTTP/1.1"), "A_B /a");
  assertOne(line("-"), undefined);
  assertOne(line("get /a HTTP/1.1"), undefined);
  assertOne(line("\\x16\\x03\\x01"), undefined);
});

Deno.test("LogScanner reads timestamps whose zone or fractional seconds differ from line to line", () => {
  const stamps = ["10:00:00", "10:00:01 +0000", "10:00:02 +0100", "10:00:03.5 +0100", "10:00:04Z"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...stamps), { minLength: 2 }), (clocks) => {
      const lines = clocks.map((clock) =>
        `h - - [02/Mar/2026:${clock}] "GET /a HTTP/1.1" 200 1 "-" "b"\n`
      );
      assertMatchesReference(encoder.encode(lines.join("")));
    }),
    COSTLY,
  );
});

Deno.test("LogScanner counts equivalent paths as one endpoint", () => {
  const line = (path: string) => `h - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1`;
  for (const path of ["/a/%E2%9C%93", "/a/%e2%9c%93", "/%61/\\xe2\\x9c\\x93", "/a/%E2%9c%93?b"]) {
    assertOne(line(path), "GET /a/%E2%9C%93");
  }
  assertOne(line("/%7eann/%2E%2f%5F"), "GET /~ann/.%2F_");
  assertOne(line("/%31%37/b"), "GET /${vars.id}/b");
  assertOne(line("/%2541/%zz/%4"), "GET /%2541/%zz/%4");
  assertOne(line("/a;jsessionid=B1.node2"), "GET /a");
  assertOne(line("/17;JSessionID=B1/b;v=1;jsessionid=C?q"), "GET /${vars.id}/b;v=1");
  assertOne(line("/a;jsession=1;v=2"), "GET /a;jsession=1;v=2");
  assertOne(line("https://h;jsessionid=x/a"), "GET /a");
  assertOne(line("https://;jsessionid=x/a"), "GET /a");
});

Deno.test("LogScanner ignores the fragment of a target", () => {
  const line = (path: string) => `h - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1`;
  for (const path of ["/a#part", "/a#", "/a#b/c?d", "/a\\x23b", "/a;jsessionid=X#b", "/a?q#b"]) {
    assertOne(line(path), "GET /a");
  }
  assertOne(line("/17#18"), "GET /${vars.id}");
  assertOne(line("http://h/a#b"), "GET /a");
  assertOne(line("/#"), "GET /");
});

Deno.test("collectIds decodes percent-encoded ids", () => {
  const ids = collectIds();
  const line = (path: string) =>
    `h - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1\n`;
  const log = line("/a/17/b/5;jsessionid=X") + line("/a/%31%37/b/5") + line("/a/18/%62/6#top");
  readLines(encoder.encode(log), COMBINED, { collectors: [ids] });
  assertEquals(ids.forEndpoints(["GET /a/${vars.id}/b/${vars.id}"]), [[
    { value: "17,5", count: 2 },
    { value: "18,6", count: 1 },
  ]]);
});

Deno.test("LogScanner unescapes recorded paths and writes `$${` for each recorded `${`", () => {
  const line = (path: string) => `h - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1`;
  assertOne(line("/${env.HOME}/$/x"), "GET /$${env.HOME}/$/x");
  assertOne(line("/\\x24{vars.id}"), "GET /$${vars.id}");
  assertOne(line('/say/\\"hi\\"/\\\\'), 'GET /say/"hi"/\\');
  assertOne(line("/caf\\xC3\\xA9/\\xff"), "GET /caf%C3%A9/%FF");
  assertOne(line("/\\n\\x00\\x1b[2J"), "GET /\n\0\x1b[2J");
});

Deno.test("LogScanner reads a line of 1 MiB and rejects a longer line", () => {
  const log = (length: number) => encoder.encode(`${REQUEST.padEnd(length, "x")}\n${REQUEST}\n`);
  for (const chunkLength of [1_000, 65_536, 4 << 20]) {
    assertMatchesReference(log(1 << 20), chunkLength);
    assertMatchesReference(log((1 << 20) + 1), chunkLength);
    assertMatchesReference(log(10 << 20), chunkLength);
  }
  assertEquals(scanLog(log(1 << 20), 65_536).requests, 2);
  assertEquals(scanLog(log((1 << 20) + 1), 65_536).malformedByReason["line-too-long"], 1);
});

Deno.test("LogScanner reads a path of maximum length even if replaced ids and escapes make the route longer", () => {
  const line = (path: string) =>
    encoder.encode(`h [02/Mar/2026:10:00:00 +0000] "GET ${path}" 200 1`);
  assertMatchesReference(line("/1".repeat((1 << 19) - 60)));
  assertMatchesReference(line("/" + "\\xff".repeat((1 << 18) - 60)));
  const invalid = line("/" + "\x01".repeat((1 << 20) - 100));
  assertMatchesReference(invalid.map((byte) => byte === 1 ? 0xff : byte));
});

Deno.test("LogScanner accepts LF, CR LF and a last line without a line ending, and skips blank lines", () => {
  const profile = scanLog(encoder.encode(`\n${REQUEST}\r\n \t\r\n\nno\r\n${REQUEST}`));
  assertEquals(profile.requests, 2);
  assertEquals(profile.lines, 6);
  assertEquals(profile.malformed, 1);
  assertEquals(profile.firstMalformed, {
    reason: "no-timestamp",
    place: { source: "log", offset: REQUEST.length + 8, line: 5, column: 1, snippet: "no" },
  });
});

Deno.test("LogScanner reads a $time_local timestamp with or without brackets", () => {
  for (const text of ["[$time_local] $request_method $uri", "$time_local|$request_method|$uri"]) {
    const line = text.replace("$time_local", "21/Nov/2026:10:00:00 +0100")
      .replace("$request_method", "GET").replace("$uri", "/a");
    for (const collectors of [[], [READ_EACH_LINE]]) {
      const log = new TextEncoder().encode(`${line}\n${line}\n`);
      const found = readLines(log, resolveFormats(text)[0], { collectors });
      assertEquals([found.requests, found.span()?.first], [2, 1_795_251_600]);
    }
  }
});
