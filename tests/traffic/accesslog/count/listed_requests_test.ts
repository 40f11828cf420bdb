import fc, { COSTLY } from "fast-check";
import { COLLECTOR_KINDS } from "../../../../src/traffic/accesslog/collect/collector.ts";
import { COMBINED, variantsOf } from "../../../../src/traffic/accesslog/formats/formats.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import { mixedLog } from "../../../builders/mixed_log.ts";
import { SHAPED } from "../../../builders/shaped_formats.ts";
import { shapedLog } from "../../../builders/shaped_lines.ts";
import { assertCounterMatchesReader, type Selection } from "../../../support/both_readers.ts";

const FILTERS = {
  statuses: ["2xx", "404"],
  methods: ["GET", "POST"],
  noStatic: true,
  include: [/[a-z]/, /^\/\d/],
  exclude: [/9/u, /^\/a/u],
  noBots: true,
  excludedClients: ["1.2.3.4"],
  since: Date.UTC(2026, 10, 21),
};
const HOST_FILTERS = { ...FILTERS, hosts: ["shop.example", "api.example:8080"] };

/** Maximum number of lines in a log. Creating the readers takes longer than reading a few lines. */
const LINES = 150;
const encoder = new TextEncoder();
const mixedLines = mixedLog(LINES);
const hosts = fc.constantFrom(
  ...["shop.example", "shop.example:443", "API.example:8080", "-", "", "a@b", '"x'],
);
const hostLog = fc.tuple(mixedLines, fc.array(hosts, { minLength: 1, maxLength: 7 })).map((
  [lines, hosts],
) => encoder.encode(lines.map((line, i) => `${hosts[i % hosts.length]} ${line}`).join("")));

const LOGS: readonly (readonly [string, LogFormat, fc.Arbitrary<Uint8Array>])[] = [
  ["mixed lines", COMBINED, mixedLines.map((lines) => encoder.encode(lines.join("")))],
  ["lines that start with a host", variantsOf("vhost_combined")[0], hostLog],
  ...SHAPED.map(([name, format]) =>
    [`the format ${name}`, format, shapedLog(format, LINES)] as const
  ),
];

/** Generates selections, some of which only count. */
function selections(filters: object): fc.Arbitrary<Selection> {
  const options = fc.subarray(Object.entries(filters)).map(Object.fromEntries);
  const kinds = fc.subarray([...COLLECTOR_KINDS]);
  return fc.oneof(fc.constant<Selection>({}), fc.record({ kinds, options }));
}

const chunkLength = fc.oneof(fc.integer({ min: 1, max: 700 }), fc.constant(1 << 20));

/** A fifth of the cases of a costly property, because each of 58 formats has a test. */
const RUNS = { numRuns: Math.ceil(COSTLY.numRuns! / 5) };

for (const [name, format, log] of LOGS) {
  const selection = selections(log === hostLog ? HOST_FILTERS : FILTERS);
  Deno.test(`counts, filters and collectors get the same requests from LineCounter and from RequestReader for ${name}`, () =>
    fc.assert(
      fc.asyncProperty(
        log,
        selection,
        chunkLength,
        (log, selection, chunkLength) =>
          assertCounterMatchesReader(log, format, selection, chunkLength),
      ),
      RUNS,
    ));
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
  await assertCounterMatchesReader(log, COMBINED, { kinds, options: { noBots: true } });
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
  for (const options of [{}, { noBots: true }]) {
    await assertCounterMatchesReader(log, COMBINED, { kinds, options });
  }
});
