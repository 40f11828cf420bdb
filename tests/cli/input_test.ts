import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { openBytes } from "../../src/base/bytes/open_bytes.ts";
import { InputError } from "../../src/base/errors.ts";
import { otherThanPlan, rejectOtherKinds } from "../../src/cli/input/input_kind.ts";
import { loggedZone, sampleLogs } from "../../src/cli/input/log_head.ts";
import { buildFilters } from "../../src/traffic/accesslog/collect/filters.ts";
import { COMBINED, resolveFormats } from "../../src/traffic/accesslog/formats/formats.ts";
import { logLine } from "../builders/log_line.ts";
import { runCli } from "../support/cli.ts";
import { CliFolder } from "../support/cli_folder.ts";
import { measureCpu } from "../support/cpu_time.ts";

const START = Date.UTC(2026, 10, 1);
const PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";

/**
 * Returns `count` log lines. Of every ten requests, two are from a bot, one fails, and four are
 * from one client.
 */
function lines(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    logLine({
      at: START + i * 1_000,
      client: i % 10 < 4 ? "10.0.0.1" : `10.1.${i % 100}.${i % 200}`,
      agent: i % 10 >= 8 ? "Googlebot/2.1" : PERSON,
      status: i % 10 === 5 ? 404 : 200,
    }));
}

async function withLog<T>(text: string, use: (path: string) => Promise<T>): Promise<T> {
  using folder = new CliFolder();
  const path = join(folder.path, "access.log");
  await Deno.writeTextFile(path, text);
  return await use(path);
}

const sample = (path: string, options = {}) =>
  (async () => {
    using source = await openBytes(path, () => new ReadableStream());
    return await sampleLogs([{ source, format: COMBINED }], buildFilters(options));
  })();

Deno.test("sampleLogs reads a small log completely", async () => {
  await withLog(lines(200).join("") + "no request\n", async (path) => {
    assertEquals(await sample(path), {
      requests: 200,
      isWhole: true,
      bots: 40,
      errors: 20,
      notModified: 0,
      misplaced: 0,
      clients: 121,
      busiest: { client: "10.0.0.1", requests: 80 },
      hosts: [],
      urls: [{ endpoint: "GET /", hasId: false, hasQuery: false }],
    });
    const kept = await sample(path, { statuses: ["404"] });
    assertEquals([kept!.requests, kept!.errors], [20, 20]);
  });
});

Deno.test("sampleLogs reads whole lines from all parts of a large file", async () => {
  const early = lines(20_000);
  const late = Array.from(
    { length: 20_000 },
    (_, i) => logLine({ at: START + i * 1_000, agent: "Googlebot/2.1", status: 500 }),
  );
  await withLog([...early, ...late].join(""), async (path) => {
    const { requests, isWhole, bots, errors } = (await sample(path))!;
    assert(!isWhole && requests > 1_000 && requests < 2_000, `${requests}`);
    assertAlmostEquals(bots! / requests, 0.6, 0.03);
    assertAlmostEquals(errors / requests, 0.55, 0.03);
  });
});

/** Returns a number from 0 to 2^32 - 1 that looks random, but is always the same for `n`. */
function scrambled(n: number): number {
  for (let i = 0; i < 2; i++) n = Math.imul(n ^ n >>> 16, 0x45d9f3b);
  return (n ^ n >>> 16) >>> 0;
}

Deno.test("sampleLogs estimates the proportion of bot requests in a log with bursts of similar requests", async () => {
  let error = 0;
  for (let seed = 1; seed <= 4; seed++) {
    // Bursts of 60 requests. About 30% of the bursts are from a bot.
    const isBot = (i: number) => scrambled(Math.floor(i / 60) + seed * 7_919) < 2 ** 32 * 0.3;
    const log = Array.from(
      { length: 24_000 },
      (_, i) => logLine({ at: START + i * 100, agent: isBot(i) ? "Googlebot/2.1" : PERSON }),
    );
    const share = log.filter((_, i) => isBot(i)).length / log.length;
    await withLog(log.join(""), async (path) => {
      const { requests, bots } = (await sample(path))!;
      error += Math.abs(bots! / requests - share) / 4;
    });
  }
  assert(error < 0.03, `${error}`);
});

Deno.test("sampleLogs samples long lines as often as short ones", async () => {
  const log = Array.from(
    { length: 20_000 },
    (_, i) =>
      logLine({ at: START, status: i % 2 ? 404 : 200, path: `/${"x".repeat(i % 2 * 2_500)}` }),
  );
  await withLog(log.join(""), async (path) => {
    const { requests, errors } = (await sample(path))!;
    assertAlmostEquals(errors / requests, 0.5, 0.05);
  });
});

Deno.test("convert reports bots, failures and the busiest client, and how to exclude them", async () => {
  await withLog(lines(400).join(""), async (path) => {
    const plain = await runCli(["convert", path]);
    assertStringIncludes(
      plain.stderr,
      "20.0% bots (exclude with `--no-bots`), 10.0% 4xx or 5xx responses (exclude with " +
        "`--status 1xx,2xx,3xx`), 40.0% from the busiest client (exclude with " +
        "`--exclude-client 10.0.0.1`)\n",
    );
    const args = ["convert", path, "--no-bots", "--status", "1xx,2xx,3xx"];
    const without = await runCli([...args, "--exclude-client", "10.0.0.1"]);
    assertStringIncludes(without.stderr, "120 requests over");
    assertStringIncludes(without.stderr, "--exclude-client: excluded 160 requests");
    assert(!without.stderr.includes("bots (exclude"), without.stderr);
  });
});

Deno.test("convert states which parts of its traffic summary are based on a sample", async () => {
  await withLog(lines(20_000).join(""), async (path) => {
    const { stderr } = await runCli(["convert", path]);
    assertMatch(
      stderr,
      /in a sample of [\d,]+ requests: about \d+% bots .*, about \d+% 4xx or 5xx resp/,
    );
    assertMatch(stderr, /about \d+% from the busiest client \(exclude with .*10\.0\.0\.1`/);
  });
});

Deno.test("convert states that the sample of a compressed file or a stream is its beginning", async () => {
  const text = lines(20_000).join("");
  const note =
    /in a sample of \d+ requests \(only the beginning of compressed files and streams\): /;
  const { stderr } = await runCli(["convert", "-"], { stdin: text });
  assertMatch(stderr, note);
  await withLog("", async (path) => {
    const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    await Deno.writeFile(`${path}.gz`, zipped);
    assertMatch((await runCli(["convert", `${path}.gz`])).stderr, note);
  });
});

Deno.test("convert does not report a busiest client if the sample does not show which client is the busiest", async () => {
  const even = Array.from(
    { length: 20_000 },
    (_, i) =>
      logLine({ at: START + i * 1_000, client: `10.0.0.${i % 4}`, status: i % 2 ? 404 : 200 }),
  );
  await withLog(even.join(""), async (path) => {
    const { stderr } = await runCli(["convert", path]);
    assertMatch(stderr, /about \d+% 4xx or 5xx responses/);
    assert(!stderr.includes("busiest client"), stderr);
  });
});

Deno.test("convert warns if the log format reads the host name in a line as the client address", async () => {
  const hosts = lines(200).map((line, i) => `www${i % 2}.example ${line}`).join("");
  await withLog(hosts, async (path) => {
    const wrong = await runCli([
      "convert",
      path,
      "--log-format",
      "combined",
      "--journeys",
      "-o",
      `${path}.yaml`,
    ]);
    assertStringIncludes(wrong.stderr, "warning[host-as-client]");
    const right = await runCli(["convert", path, "--journeys", "-o", `${path}.yaml`]);
    assert(!right.stderr.includes("host-as-client"), right.stderr);
  });
});

const LINES = logLine({ at: Date.UTC(2026, 10, 1) }).repeat(9);

Deno.test("convert states the type of a compressed or encoded file, and the command that decodes it", async () => {
  using folder = new CliFolder();
  for (
    const [start, command] of [
      ["\xfd7zXZ\0", "xz -dc"],
      ["BZh9", "bzip2 -dc"],
      // An archive whose content is not compressed contains readable lines.
      ["PK\x03\x04\x14\0a.log", "unzip -p"],
    ]
  ) {
    for (const name of ["access.log", "access"]) {
      const path = join(folder.path, name);
      const bytes = Uint8Array.from(start + LINES, (char) => char.charCodeAt(0));
      await Deno.writeFile(path, bytes);
      const { code, stderr } = await runCli(["convert", path]);
      assertEquals(code, 1, stderr);
      // A HAR is read without an option too.
      assertStringIncludes(stderr, `\`${command} ${path} | rehearse convert -\``);
    }
  }
});

Deno.test("convert rejects a log whose lines end with CR only", async () => {
  const reject = async (text: string) => await runCli(["convert", "-"], { stdin: text });
  const { code, stderr } = await reject(LINES.replaceAll("\n", "\r"));
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "lines end with CR instead of LF; try `tr '\\r' '\\n' < FILE | ");
  const [line] = LINES.split("\n");
  for (const text of [line, `${line}\r`, `${line}\r\n`, LINES.replaceAll("\n", "\r\n")]) {
    assertEquals((await reject(text)).code, 0, text);
  }
});

Deno.test("convert recognizes UTF-16 text", async () => {
  const text = "\ufeff" + LINES;
  const stdin = new Uint8Array(new Uint16Array([...text].map((c) => c.charCodeAt(0))).buffer);
  const { code, stderr } = await runCli(["convert", "-", "--from", "accesslog"], { stdin });
  assertEquals(code, 1);
  assertStringIncludes(stderr, "UTF-16 text");
  assertStringIncludes(stderr, "iconv -f UTF-16");
});

const text = (line: string) => new TextEncoder().encode(`not a request\n${line}\n${line}\n`);
const combined = (zone: string) =>
  text(`10.0.0.1 - - [21/Nov/2026:10:00:00 ${zone}] "GET / HTTP/1.1" 200 1 "-" "-"`);

Deno.test("loggedZone returns the time zone of the first timestamp of a log", () => {
  assertEquals(loggedZone(combined("+0200"), COMBINED), "+02:00");
  assertEquals(loggedZone(combined("-0330"), COMBINED), "-03:30");
  assertEquals(loggedZone(combined("+0000"), COMBINED), "UTC");
  const [iso] = resolveFormats("$time_iso8601 $request_method $uri");
  assertEquals(loggedZone(text("2026-11-21T10:00:00Z GET /"), iso), "UTC");
  assertEquals(loggedZone(text("2026-11-21T10:00:00+05:30 GET /"), iso), "+05:30");
});

Deno.test("loggedZone returns UTC if the log has no zone or no request", () => {
  const [format] = resolveFormats("$time_iso8601 $request_method $uri");
  assertEquals(loggedZone(text("2026-11-21T10:00:00 GET /"), format), "UTC");
  assertEquals(
    loggedZone(text("1795255200 GET /"), resolveFormats("$msec $request_method $uri")[0]),
    "UTC",
  );
  assertEquals(loggedZone(text("no log at all"), COMBINED), "UTC");
  assertEquals(loggedZone(new Uint8Array(), COMBINED), "UTC");
});

const SAMPLES = new URL("../../testdata/logs/samples/", import.meta.url);

function input(text: string | Uint8Array, name = "in.txt") {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return { name, peek: (count: number) => Promise.resolve(bytes.slice(0, count)) };
}

Deno.test("an input that must be a HAR is rejected if it is another known kind of file", async () => {
  const line = '1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/1.1" 200 5\n';
  const table: [text: string, name: string, message: string][] = [
    [
      line,
      "access.log",
      "this is an access log, not a HAR; create a plan from it with `rehearse convert access.log -o plan.yaml`",
    ],
    [
      line.replace("\n", "\r\n"),
      "a b.har",
      "`rehearse convert 'a b.har' --from accesslog -o plan.yaml`",
    ],
    [line, "standard input", "`rehearse convert FILE -o plan.yaml`"],
    ["scenarios: {}\n", "p.yaml", "this is a plan, not a HAR; run it with"],
    [`${line}scenarios: x\n${line}`, "a.txt", "this is an access log, not a HAR"],
    ['{"schema": 3, "name": ""}', "s.json", "this is a summary of a run, not a HAR"],
    ["<!DOCTYPE html>", "s.html", "this is an HTML page, not a HAR"],
  ];
  for (const [text, name, message] of table) {
    await assertRejects(() => rejectOtherKinds(input(text, name), "har"), InputError, message);
  }
  const sample = Deno.readFileSync(new URL("nginx-json.log", SAMPLES));
  await assertRejects(
    () => rejectOtherKinds(input(sample), "har"),
    InputError,
    "this is an access log",
  );
});

Deno.test("an input that may be a HAR is not rejected", async () => {
  for (
    const text of [
      ...['{"log":{"entries":[]}}', '\ufeff {"log" : {', '{"foo": tru}', "", "\0\xff", "[]"],
    ]
  ) assertEquals(await rejectOtherKinds(input(text), "har"), undefined);
});

Deno.test("the kind of a file is recognized in time in proportion to its empty lines", () => {
  const head = new TextEncoder().encode(`x${"\n".repeat(60_000)}x`);
  const { result, seconds } = measureCpu(() => otherThanPlan(head, "a.txt"));
  assertEquals(result, undefined);
  assert(seconds < 1, `${seconds} s`);
});
