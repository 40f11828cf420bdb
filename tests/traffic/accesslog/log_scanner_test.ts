import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { resolveFormats } from "../../../src/traffic/accesslog/detect/resolve_formats.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/combined.ts";
import { serializeProfile } from "../../../src/traffic/accesslog/profile/serialize_profile.ts";
import { logArbitrary, noiseArbitrary } from "../../builders/accesslog_lines.ts";
import { referenceProfile } from "../../oracles/accesslog_reference.ts";
import { READ_EACH_LINE, readLines } from "../../support/read_lines.ts";

/**
 * Asserts that `LogScanner` builds the same profile as the reference parser, with and without the
 * line counter.
 */
function assertAsReference(log: Uint8Array, chunkLength: number): void {
  const expected = referenceProfile(log);
  for (const collectors of [[], [READ_EACH_LINE]]) {
    const text = serializeProfile(readLines(log, COMBINED, { chunkLength, collectors }));
    const found = JSON.parse(text);
    if (JSON.stringify(found) !== JSON.stringify(expected)) assertEquals(found, expected);
  }
}

Deno.test("LogScanner builds the same profile as the reference parser, with and without the line counter", () => {
  const chunk = fc.integer({ min: 1, max: 400 });
  fc.assert(fc.property(logArbitrary, chunk, assertAsReference), { numRuns: 500 });
  fc.assert(fc.property(noiseArbitrary, chunk, assertAsReference), { numRuns: 200 });
});

Deno.test("LogScanner reads a line of maximum length and rejects a longer line", () => {
  const line = (length: number) => {
    const head = 'h - - [02/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1 ';
    return new TextEncoder().encode(head + "x".repeat(length - head.length) + "\n");
  };
  for (const length of [(1 << 20) - 1, 1 << 20, (1 << 20) + 1]) {
    assertAsReference(line(length), 1 << 18);
    assertAsReference(line(length), 1 << 22);
  }
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
