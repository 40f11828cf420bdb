import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { makeLog } from "../../../scripts/make_log.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/combined.ts";
import { collectIds } from "../../../src/traffic/accesslog/collect/collect_ids.ts";
import { readLines } from "../../support/read_lines.ts";
import { logArbitrary, noiseArbitrary } from "../../builders/accesslog_lines.ts";
import { assertMatchesReference, scanLog } from "../../properties/accesslog_scan.ts";

const encoder = new TextEncoder();
const REQUEST = '1.2.3.4 - - [02/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1';

function assertOne(line: string, key: string | undefined): void {
  const profile = scanLog(encoder.encode(line));
  const [found] = profile.top(1);
  assertEquals(found === undefined ? undefined : `${found.method} ${found.route}`, key, line);
  assertMatchesReference(encoder.encode(line));
}

Deno.test("LogScanner agrees with the reference on generated lines in random chunks", () => {
  fc.assert(
    fc.property(logArbitrary, fc.integer({ min: 1, max: 400 }), assertMatchesReference),
    { numRuns: 3_000 },
  );
});

Deno.test("LogScanner agrees with the reference on random bytes", () => {
  fc.assert(
    fc.property(noiseArbitrary, fc.integer({ min: 1, max: 64 }), assertMatchesReference),
    { numRuns: 500 },
  );
});

Deno.test("LogScanner agrees with the reference on the logs of make_log.ts", () => {
  for (
    const options of [{ seed: 1 }, { seed: 2, uniquePaths: 5_000 }, { seed: 3, diurnal: true }]
  ) {
    const log = concat([...makeLog({ bytes: 1_000_000, ...options })]);
    assertMatchesReference(log, 262_144);
    assert(scanLog(log).requests > 4_000);
  }
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

Deno.test("collectIds decodes percent-encoded ids", () => {
  const ids = collectIds();
  const line = (path: string) =>
    `h - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1\n`;
  const log = line("/a/17/b/5;jsessionid=X") + line("/a/%31%37/b/5") + line("/a/18/%62/6");
  readLines(encoder.encode(log), COMBINED, { collectors: [ids] });
  assertEquals(ids.forEndpoints(["GET /a/${vars.id}/b/${vars.id}"]), [[
    { value: "17,5", count: 2 },
    { value: "18,6", count: 1 },
  ]]);
});

Deno.test("LogScanner escapes recorded text that looks like a template", () => {
  const line = (path: string) => `h - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1`;
  assertOne(line("/${env.HOME}/$/x"), "GET /$${env.HOME}/$/x");
  assertOne(line("/\\x24{vars.id}"), "GET /$${vars.id}");
  assertOne(line('/say/\\"hi\\"/\\\\'), 'GET /say/"hi"/\\');
  assertOne(line("/caf\\xC3\\xA9/\\xff"), "GET /caf%C3%A9/%FF");
  assertOne(line("/\\n\\x00\\x1b[2J"), "GET /\n\0\x1b[2J");
});

Deno.test("LogScanner rejects a line over 1 MiB but reads one of 1 MiB", () => {
  const log = (length: number) => encoder.encode(`${REQUEST.padEnd(length, "x")}\n${REQUEST}\n`);
  for (const chunkLength of [1_000, 65_536, 4 << 20]) {
    assertMatchesReference(log(1 << 20), chunkLength);
    assertMatchesReference(log((1 << 20) + 1), chunkLength);
    assertMatchesReference(log(10 << 20), chunkLength);
  }
  assertEquals(scanLog(log(1 << 20), 65_536).requests, 2);
  assertEquals(scanLog(log((1 << 20) + 1), 65_536).malformedByReason["line-too-long"], 1);
});

Deno.test("LogScanner reads the longest path whose ids and encodings make its route longer", () => {
  const line = (path: string) =>
    encoder.encode(`h [02/Mar/2026:10:00:00 +0000] "GET ${path}" 200 1`);
  assertMatchesReference(line("/1".repeat((1 << 19) - 60)));
  assertMatchesReference(line("/" + "\\xff".repeat((1 << 18) - 60)));
  const invalid = line("/" + "\x01".repeat((1 << 20) - 100));
  assertMatchesReference(invalid.map((byte) => byte === 1 ? 0xff : byte));
});

Deno.test("LogScanner accepts LF, CR LF and a missing line end, and skips blank lines", () => {
  const profile = scanLog(encoder.encode(`\n${REQUEST}\r\n \t\r\n\nno\r\n${REQUEST}`));
  assertEquals(profile.requests, 2);
  assertEquals(profile.lines, 6);
  assertEquals(profile.malformed, 1);
  assertEquals(profile.firstMalformed, {
    reason: "no-timestamp",
    place: { source: "log", offset: REQUEST.length + 8, line: 5, column: 1, snippet: "no" },
  });
});

function concat(chunks: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
