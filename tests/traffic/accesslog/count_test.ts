import { assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { COLLECTOR_KINDS } from "../../../src/traffic/accesslog/collect/collector.ts";
import { LineCounter } from "../../../src/traffic/accesslog/count/line_counter.ts";
import {
  COMBINED,
  resolveFormats,
  variantsOf,
} from "../../../src/traffic/accesslog/formats/formats.ts";
import {
  Tally,
  type TrafficProfile,
} from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import {
  FIELD_INDEX,
  type LogFormat,
  Spans,
} from "../../../src/traffic/accesslog/read/log_format.ts";
import type { TimeNotation } from "../../../src/traffic/accesslog/read/notations.ts";
import { createSplitter } from "../../../src/traffic/accesslog/read/request_reader.ts";
import { mixedLog } from "../../builders/mixed_log.ts";
import { SHAPED, USER_FORMATS } from "../../builders/shaped_formats.ts";
import { shapedLog } from "../../builders/shaped_lines.ts";
import { assertCounterMatchesReader, type Selection } from "../../support/both_readers.ts";
import { readLines } from "../../support/read_lines.ts";

const encoder = new TextEncoder();

/**
 * Counts lines with a `LineCounter` whose day is set to 2026-11-21. `isWhole` is true if it counted
 * all of them.
 */
function countLines(format: LogFormat, lines: readonly string[]) {
  const tally = new Tally();
  const counter = new LineCounter(tally);
  assertEquals(counter.setLayout(createSplitter(format).shape, format.time), true);
  const [date, zone] = DAYS[format.time];
  const spans = new Spans();
  spans.set(FIELD_INDEX.date, 0, date.length);
  spans.set(
    FIELD_INDEX.time,
    format.time === "clock" ? date.length : 0,
    `${date}00:00:00${zone}`.length,
  );
  counter.setDay(encoder.encode(`${date}00:00:00${zone}`), spans, 1_795_219_200);
  const log = encoder.encode(lines.map((line) => `${line}\n`).join(""));
  const loaded = counter.load(log, 0, log.length);
  const at = counter.count(0, loaded, 0);
  counter.finish();
  return { requests: tally.requests, isWhole: loaded === log.length && at === loaded };
}

const DAYS = {
  clf: ["21/Nov/2026:", " +0000"],
  iso: ["2026-11-21T", "Z"],
  clock: ["2026-11-21", ""],
  epoch: ["", ""],
  layout: ["", ""],
};

const REGULAR: readonly [format: string, line: string][] = [
  [
    "combined",
    '10.0.0.1 - ann [21/Nov/2026:10:00:00 +0000] "GET /a/17?b=1 HTTP/1.1" 200 512 "-" "M"',
  ],
  ["combined", '::1 - - [21/Nov/2026:10:00:00 +0000] "GET http://h.example/a HTTP/1.0" 304 -'],
  [
    "vhost_combined",
    'h:80 10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "POST / HTTP/2.0" 200 1 "-" "\\"M"',
  ],
  [
    "alb",
    "https 2026-11-21T10:00:00.123456Z app/b/5 10.0.0.1:2817 10.0.0.2:80 0.0 0.0 0.0 200 200 0 57 " +
    '"GET https://h.example:443/a/17?b HTTP/1.1" "M" E T arn "Root=1" "h" "-" 1',
  ],
  [
    "cloudfront",
    "2026-11-21\t10:00:00\tLAX1\t392\t10.0.0.1\tGET\td\t/a/17\t200\t-\tM\tb=1\t-\tHit\tS\td\thttps\t23\t0.001\t-",
  ],
  ["iis", "2026-11-21 10:00:00 10.0.0.5 GET /a/17 b=1 443 - 10.0.0.1 M - 200 0 0 46\r"],
  [USER_FORMATS.piped, "1795255200.120|GET|/a/17?b=1|200|0.012|M"],
  [USER_FORMATS.bare, "21/Nov/2026:10:00:00 +0000|GET|/a|200"],
  [USER_FORMATS.tabbed, "2026-11-21T10:00:00Z\t200\tPUT\t/a?b=1\t-"],
  [
    USER_FORMATS.labelled,
    'log=nginx-access-with-a-long-beginning 2026-11-21T10:00:00Z request="GET /a HTTP/1.1" status=200',
  ],
  [USER_FORMATS.late, '"GET /a HTTP/1.1" upstream_response_time=0.1 at 1795255200.1; 200'],
  [USER_FORMATS.milliseconds, "1795255200123 GET /a ?b=1 200"],
  [USER_FORMATS.milliseconds, "1795255200123.5 GET /a ?b=1 200"],
  [USER_FORMATS.milliseconds, "1795255200123456 GET /a ?b=1 200"],
  [USER_FORMATS.milliseconds, "1795255200123456789 GET /a ?b=1 200"],
];

const JSON_LINES: readonly [format: string, time: TimeNotation, line: string][] = [
  [
    "caddy",
    "epoch",
    '{"level":"info","ts":1795255200.1234567,"request":{"remote_ip":"::1","method":"GET","uri":"/a/17?b",' +
    '"headers":{"User-Agent":["M \\"x\\""]},"tls":{"resumed":false}},"size":5,"status":200,"resp":{}}',
  ],
  [
    "traefik",
    "iso",
    '{"ClientHost":"::1","DownstreamStatus":200,"RequestMethod":"GET","RequestPath":"/a","StartUTC":' +
    '"2026-11-21T10:00:00.123456789Z","time":"2026-11-21T10:00:00Z"}',
  ],
  [
    "nginx-json",
    "clf",
    '{"time_local":"21/Nov/2026:10:00:00 +0000", "request": "GET /a HTTP/1.1", "status": "200"}',
  ],
  [
    "nginx-json",
    "iso",
    '{"time":"2026-11-21T10:00:00Z","method":"GET","uri":"/a","args":"b=1","status":200}',
  ],
];

Deno.test("LineCounter counts lines in each JSON format", () => {
  for (const [name, time, line] of JSON_LINES) {
    const format = resolveFormats(name).find((format) => format.time === time)!;
    assertEquals(countLines(format, [line, line]), { requests: 2, isWhole: true }, line);
  }
});

Deno.test("LineCounter counts lines in each text format", () => {
  for (const [name, line] of REGULAR) {
    const lines = Array.from({ length: 5 }, () => line);
    const found = countLines(resolveFormats(name)[0], lines);
    assertEquals(found, { requests: 5, isWhole: true }, name);
  }
});

const LINE = '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5';

Deno.test("LineCounter does not read past the end of a broken line into the next line", async () => {
  const rest = ' HTTP/1.1" 200 5';
  for (
    const broken of [
      `x [\n2/Mar/2026:10:00:00 +0000] "GET /a${rest}`,
      `x [21/Nov/2026:\0\0\0\0\0\0\0\0 +0000] "GET /a${rest}`,
      `x [21/Nov/2026:10:00:00 +0000] "GET /a\n${rest}`,
      `x [21/Nov/2026:10:00:00 +0000\n] "GET /a${rest}`,
      `x [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1\n" 200 5`,
      `x [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200\n 5`,
      `x [${"\n".repeat(12)}10:00:00 +0000] "GET /a${rest}`,
    ]
  ) {
    for (const lines of [[broken, LINE], [LINE, broken, LINE], [LINE, LINE, broken]]) {
      await assertCounterMatchesReader(encoder.encode(`${lines.join("\n")}\n`), COMBINED);
    }
  }
});

Deno.test("LineCounter adds its counts to the profile and continues if its memory is full", async () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => {
    const clock = new Date(i * 7_000).toISOString().slice(11, 19);
    const page = i % 30_000;
    return LINE.replace("10:00:00", clock).replace("/a ", `/${"path/".repeat(page % 9)}p${page} `);
  });
  const log = encoder.encode(lines.join("\n"));
  assertEquals(readLines(log, COMBINED).endpoints, 30_000);
  await assertCounterMatchesReader(log, COMBINED, {}, 100_000);
});

Deno.test("LogScanner reads a log in which the line counter rejects most lines", () => {
  const odd = LINE.replace("/a ", "/\\xc3\\xa9 ");
  const lines = [...Array(300).fill(odd), ...Array(300).fill(LINE), ...Array(300).fill(odd)];
  const log = encoder.encode(lines.map((line) => `${line}\n`).join(""));
  for (const chunkLength of [100, 5_000, log.length]) {
    const found: TrafficProfile = readLines(log, COMBINED, { chunkLength });
    assertEquals([found.requests, found.lines, found.endpoints], [900, 900, 2]);
  }
});

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
