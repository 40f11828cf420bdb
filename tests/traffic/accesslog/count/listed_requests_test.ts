import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { isBot } from "../../../../src/traffic/accesslog/collect/bots.ts";
import { COLLECTOR_KINDS } from "../../../../src/traffic/accesslog/collect/collector_kinds.ts";
import type { LogCollector } from "../../../../src/traffic/accesslog/collect/collector.ts";
import { buildFilters } from "../../../../src/traffic/accesslog/collect/filters.ts";
import { createCollector } from "../../../../src/traffic/accesslog/collectors.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/combined.ts";
import { vhostCombined } from "../../../../src/traffic/accesslog/formats/vhost_combined.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import { serializeProfile } from "../../../../src/traffic/accesslog/profile/serialize_profile.ts";
import { mixedLog } from "../../../builders/mixed_log.ts";
import { SHAPED } from "../../../builders/shaped_formats.ts";
import { shapedLog } from "../../../properties/counter_matches_reader.ts";
import { READ_EACH_LINE, readLines } from "../../../support/read_lines.ts";

const SETTINGS = { method: "GET", target: "/cart" };
const FILTERS = {
  statuses: ["2xx", "404"],
  methods: ["GET", "POST"],
  noStatic: true,
  include: [/[a-z]/, /^\/\d/],
  exclude: [/9/u, /^\/a/u],
  isBot,
  excludedClients: ["1.2.3.4"],
  since: Date.UTC(2026, 10, 21),
};
const HOST_FILTERS = { ...FILTERS, hosts: ["shop.example", "api.example:8080"] };

/** Reads a log with collectors and filters. Returns the profile and everything that was collected. */
async function collect(
  log: Uint8Array,
  format: LogFormat,
  kinds: readonly LogCollector["kind"][],
  options: Partial<typeof HOST_FILTERS>,
  { isEachLineRead = false, chunkLength = log.length }: {
    readonly isEachLineRead?: boolean;
    readonly chunkLength?: number;
  },
): Promise<string[]> {
  const filters = buildFilters(options);
  const collectors = await Promise.all(
    kinds.map((kind) => createCollector({ kind, settings: SETTINGS })),
  );
  const profile = readLines(log, format, {
    chunkLength,
    filters,
    collectors: isEachLineRead ? [...collectors, READ_EACH_LINE] : collectors,
  });
  return [
    serializeProfile(profile, filters),
    ...collectors.map((collector) => JSON.stringify(collector.toJson())),
  ];
}

const filtersOf = (all: object): fc.Arbitrary<Partial<typeof HOST_FILTERS>> =>
  fc.subarray(Object.entries(all)).map((entries) => Object.fromEntries(entries));
const chunkLength = fc.oneof(fc.integer({ min: 1, max: 700 }), fc.constant(1 << 20));

function assertListedMatchesReader(
  name: string,
  format: LogFormat,
  log: fc.Arbitrary<Uint8Array>,
  numRuns: number,
  filters: object = FILTERS,
): void {
  Deno.test(`filters and collectors get the same requests from LineCounter and from RequestReader for ${name}`, () =>
    fc.assert(
      fc.asyncProperty(
        log,
        fc.subarray([...COLLECTOR_KINDS]),
        filtersOf(filters),
        chunkLength,
        async (log, kinds, options, chunkLength) => {
          const listed = await collect(log, format, kinds, options, { chunkLength });
          const read = await collect(log, format, kinds, options, { isEachLineRead: true });
          assertEquals(listed, read);
        },
      ),
      { numRuns },
    ));
}

const encoder = new TextEncoder();
assertListedMatchesReader(
  "mixed lines",
  COMBINED,
  mixedLog(60).map((lines) => encoder.encode(lines.join(""))),
  150,
);
const hosts = fc.constantFrom(
  "shop.example",
  "shop.example:443",
  "API.example:8080",
  "-",
  "",
  "a@b",
  '"x',
);
assertListedMatchesReader(
  "lines that start with a host",
  vhostCombined.variants[0],
  fc.tuple(mixedLog(60), fc.array(hosts, { minLength: 1, maxLength: 7 })).map(([lines, hosts]) =>
    encoder.encode(lines.map((line, i) => `${hosts[i % hosts.length]} ${line}`).join(""))
  ),
  150,
  HOST_FILTERS,
);
for (const [name, format] of SHAPED) {
  assertListedMatchesReader(`the format ${name}`, format, shapedLog(format, 20), 25);
}

Deno.test("listed requests are counted if there are more endpoints, agents and requests than fit in memory", async () => {
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

Deno.test("lines with trailing fields are listed only if the client and the agent are certain", async () => {
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
