import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { isBot } from "../../../../src/traffic/accesslog/collect/bots.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/combined.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import { mixedLog } from "../../../builders/mixed_log.ts";
import { SHAPED } from "../../../builders/shaped_formats.ts";
import { shapedLog } from "../../../properties/counter_matches_reader.ts";
import {
  assertSelectedMatchesReader,
  collect,
  filters,
  HOST_FORMAT,
  hostFilters,
  hostLog,
  kinds,
} from "../../../properties/selected_requests.ts";

const chunkLength = fc.oneof(fc.integer({ min: 1, max: 700 }), fc.constant(1 << 20));

function testSelection(
  name: string,
  format: LogFormat,
  log: fc.Arbitrary<Uint8Array>,
  numRuns: number,
  options = filters,
): void {
  Deno.test(`filters and collectors get the same requests from LineCounter and from RequestReader for ${name}`, () =>
    fc.assert(
      fc.asyncProperty(
        log,
        kinds,
        options,
        chunkLength,
        (log, kinds, options, chunkLength) =>
          assertSelectedMatchesReader(log, format, kinds, options, chunkLength),
      ),
      { numRuns },
    ));
}

const encoder = new TextEncoder();
testSelection(
  "mixed lines",
  COMBINED,
  mixedLog(60).map((lines) => encoder.encode(lines.join(""))),
  150,
);
testSelection("lines that start with a host", HOST_FORMAT, hostLog(60), 150, hostFilters);
for (const [name, format] of SHAPED) {
  testSelection(`the format ${name}`, format, shapedLog(format, 20), 25);
}

Deno.test("all listed requests are counted, even if there are more endpoints, agents and requests than fit in memory", async () => {
  const lines = Array.from(
    { length: 30_000 },
    (_, i) =>
      `10.0.${i % 7}.${i % 200} - - [21/Nov/2026:10:${String(i % 60).padStart(2, "0")}:00 +0000] ` +
      `"GET /page-${i % 14_000}/${i % 3} HTTP/1.1" 200 1 "-" "agent ${i % 9_000} of a browser"\n`,
  );
  const log = encoder.encode(lines.join(""));
  const kinds = ["ids", "queries", "visits"] as const;
  const listed = await collect(log, COMBINED, kinds, { isBot }, {});
  assertEquals(listed, await collect(log, COMBINED, kinds, { isBot }, { isEachLineRead: true }));
});

Deno.test("lines with trailing fields are listed only if the client and the user agent can be identified with certainty", async () => {
  const line = (start: string, rest: string) =>
    `${start} - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1${rest}\n`;
  const rests = [
    "",
    "\r",
    ' "-" "curl/8.5"',
    ' "-" "curl/8.5"\r',
    ' "-" "curl/8.5" "-"',
    ' "-" "curl/8.5" "10.1.1.1, 10.2.2.2"',
    ' "-" "curl/8.5" "-" 12ms',
    ' "-" "curl/8.5" 12ms',
    ' "-" "curl/8.5" 12ms\r',
    ' "-" "curl/8.5" 0.012',
    ' "-" "say \\"hi\\"" "x"',
    ' "a\\"b" "curl/8.5"',
    ' "-" "open',
    ' "-"',
    ' "-" ""',
    ' "-" "-"',
    `ms`,
    ` "-" "${"long ".repeat(1_000)}"`,
  ];
  const lines = rests.flatMap((rest) => [
    line("10.0.0.1", rest),
    line("10.0.0.2", rest),
    line('"10.0.0.1', rest),
    line("-", rest),
  ]);
  const log = encoder.encode(lines.join(""));
  const kinds = ["visits", "timings", "statuses"] as const;
  for (const options of [{}, { isBot }]) {
    assertEquals(
      await collect(log, COMBINED, kinds, options, {}),
      await collect(log, COMBINED, kinds, options, { isEachLineRead: true }),
    );
  }
});
