import { assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import {
  COMBINED,
  detectFormat,
  variantsOf,
} from "../../../../src/traffic/accesslog/formats/formats.ts";
import type { LogRequest } from "../../../../src/traffic/accesslog/read/log_request.ts";
import {
  createTimeReader,
  type TimeNotation,
} from "../../../../src/traffic/accesslog/read/notations.ts";
import { parseTimeZone } from "../../../../src/traffic/accesslog/read/time_layout.ts";
import { referenceW3c } from "../../../oracles/w3c_reference.ts";
import { assertCounterMatchesReader } from "../../../support/both_readers.ts";
import { readLines } from "../../../support/read_lines.ts";
import { readAs, readRequests } from "../../../support/read_requests.ts";

function read(notation: TimeNotation, text: string, date?: string): number {
  const bytes = new TextEncoder().encode(`${date ?? ""}\t${text}] tail`);
  const from = bytes.indexOf(9) + 1;
  return createTimeReader({ time: notation }).read(
    new DataView(bytes.buffer),
    bytes,
    from,
    from + text.length,
    date === undefined ? -1 : 0,
  );
}

const ms = fc.integer({ min: 0, max: Date.UTC(2100, 0) });

Deno.test("a time reader returns the same times as Date", () => {
  fc.assert(
    fc.property(ms, fc.integer({ min: -840, max: 840 }), (time, minutes) => {
      const local = new Date(time + minutes * 60_000).toISOString();
      if (time + minutes * 60_000 < 0) return;
      const two = (value: number) => String(Math.abs(value)).padStart(2, "0");
      const zone = `${minutes < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}${two(minutes % 60)}`;
      const [date, clock] = local.slice(0, -1).split("T");
      assertEquals(read("iso", `${date}T${clock}${zone}`), time);
      assertEquals(read("iso", `${date} ${clock}${zone.slice(0, 3)}:${zone.slice(3)}`), time);
      assertEquals(read("iso", new Date(time).toISOString()), time);
      assertEquals(
        read("epoch", `${Math.floor(time / 1_000)}`),
        Math.floor(time / 1_000) * 1_000,
      );
      assertEquals(Math.round(read("epoch", (time / 1_000).toFixed(3))), time);
      const utc = new Date(time).toISOString();
      assertEquals(read("clock", utc.slice(11, 19), utc.slice(0, 10)), time - time % 1_000);
    }),
  );
});

Deno.test("a time reader parses dates with slashes, fractional seconds and zones in every notation", () => {
  const utc = Date.UTC(2026, 10, 21, 10);
  const zones: [text: string, hours: number][] = [
    ["", 0],
    ["Z", 0],
    [" UTC", 0],
    ["GMT", 0],
    ["+00", 0],
    ["+0100", 1],
    [" +0100", 1],
    ["+01:00", 1],
    [" -03:30", -3.5],
  ];
  for (const [zone, hours] of zones) {
    for (
      const [notation, text] of [
        ["iso", "2026-11-21T10:00:00"],
        ["iso", "2026-11-21 10:00:00"],
        ["iso", "2026/11/21 10:00:00"],
        ["clf", "21/Nov/2026:10:00:00"],
        ["clf", "21/Nov/2026 10:00:00"],
      ] as const
    ) {
      assertEquals(read(notation, text + zone), utc - hours * 3_600_000, text + zone);
      assertEquals(
        read(notation, `${text}.655${zone}`),
        utc + 655 - hours * 3_600_000,
        text + zone,
      );
      assertEquals(read(notation, `${text},5${zone}`), utc + 500 - hours * 3_600_000, text + zone);
    }
  }
});

Deno.test("a time reader returns -1 for an invalid timestamp", () => {
  for (
    const text of [
      ...["2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T10:00:0"],
      ...["2026-11/21T10:00:00Z", "-", ""],
    ]
  ) assertEquals(read("iso", text), -1, text);
  for (const text of ["", "-", "1.2.3", "1e", "x"]) assertEquals(read("epoch", text), -1, text);
  for (const zone of ["+1", "+15", "+0060", "PST", "Z ", " ", "  Z", "UTC+1"]) {
    assertEquals(read("iso", `2026-11-21T10:00:00${zone}`), -1, zone);
    assertEquals(read("clf", `21/Nov/2026:10:00:00${zone}`), -1, zone);
  }
  for (const text of ["31/Feb/2026:10:00:00", "21/Nov/2026-10:00:00", "1/Nov/2026:10:00:00"]) {
    assertEquals(read("clf", text), -1, text);
  }
  assertEquals(read("clock", "10:00:00"), -1);
});

Deno.test("a time reader returns the same results whether or not the minute is cached", () => {
  const minutes = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.nat(61), fc.nat(999)), {
    minLength: 2,
    maxLength: 8,
  });
  const days = ["2026-11-21", "2026-11-22", "2026-02-30", "2027-11-21"];
  const clocks = ["10:00", "10:01", "25:00", "1O:00"];
  fc.assert(
    fc.property(minutes, fc.constantFrom("iso", "clock"), (all, notation) => {
      const reader = createTimeReader({ time: notation });
      for (const [i, [pick, second, ms]] of all.entries()) {
        const date = days[pick];
        const seconds = String(second).padStart(2, "0");
        const clock = `${clocks[(pick + i) % 4]}:${seconds}.${String(ms).padStart(3, "0")}`;
        const text = notation === "iso" ? `${date}T${clock}Z` : clock;
        const bytes = new TextEncoder().encode(`${date} ${text}`);
        const found = reader.read(new DataView(bytes.buffer), bytes, 11, bytes.length, 0);
        assertEquals(found, read(notation, text, notation === "iso" ? undefined : date));
      }
    }),
  );
});

function reader(zone: string): (text: string) => string {
  const zoned = createTimeReader({ time: "iso", timeZone: zone });
  return (text) => {
    const bytes = new TextEncoder().encode(`${text} tail`);
    const ms = zoned.read(new DataView(bytes.buffer), bytes, 0, text.length, -1);
    return ms < 0 ? "invalid" : new Date(ms).toISOString();
  };
}

Deno.test("a timestamp without a zone is a local time in the given time zone", () => {
  const berlin = reader("Europe/Berlin");
  assertEquals(berlin("2026-11-21T10:00:00"), "2026-11-21T09:00:00.000Z");
  assertEquals(berlin("2026-07-01 10:00:00.250"), "2026-07-01T08:00:00.250Z");
  assertEquals(reader("+05:30")("2026-11-21T10:00:00"), "2026-11-21T04:30:00.000Z");
  assertEquals(reader("Australia/Lord_Howe")("2026-11-21T10:00:00"), "2026-11-20T23:00:00.000Z");
});

Deno.test("a zone in the timestamp overrides the given time zone", () => {
  const berlin = reader("Europe/Berlin");
  assertEquals(berlin("2026-11-21T10:00:00Z"), "2026-11-21T10:00:00.000Z");
  assertEquals(berlin("2026-11-21T10:00:00-0500"), "2026-11-21T15:00:00.000Z");
  assertEquals(berlin("no time at all here"), "invalid");
});

Deno.test("local times that daylight saving time skips or repeats are read as documented", () => {
  const berlin = reader("Europe/Berlin");
  // On 29 March, 02:00 to 03:00 does not exist.
  assertEquals(berlin("2026-03-29T01:59:59"), "2026-03-29T00:59:59.000Z");
  assertEquals(berlin("2026-03-29T02:30:00"), "2026-03-29T01:30:00.000Z");
  assertEquals(berlin("2026-03-29T03:00:00"), "2026-03-29T01:00:00.000Z");
  // On 25 October, 02:00 to 03:00 occurs twice.
  assertEquals(berlin("2026-10-25T02:30:00"), "2026-10-25T00:30:00.000Z");
  assertEquals(berlin("2026-10-25T03:00:00"), "2026-10-25T02:00:00.000Z");
});

Deno.test("a time reader converts local times in any order to the same Unix times as Temporal does", () => {
  const zone = fc.constantFrom("Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "-03:30");
  const second = fc.integer({ min: 0, max: Date.UTC(2037, 0) / 1_000 });
  fc.assert(
    fc.property(zone, fc.array(second, { minLength: 1, maxLength: 20 }), (zone, seconds) => {
      const read = reader(zone);
      for (const second of seconds) {
        const local = new Date(second * 1_000).toISOString().slice(0, 19);
        const expected = Temporal.PlainDateTime.from(local).toZonedDateTime(zone).epochMilliseconds;
        assertEquals(
          read(local),
          expected < 0 ? "invalid" : new Date(expected).toISOString(),
          local,
        );
      }
    }),
  );
});

Deno.test("parseTimeZone accepts IANA names and offsets", () => {
  assertEquals(parseTimeZone("Europe/Berlin"), "Europe/Berlin");
  assertEquals(parseTimeZone("UTC"), "UTC");
  assertEquals(parseTimeZone("Z"), "UTC");
  assertEquals(parseTimeZone("+02:00"), "+02:00");
  assertEquals(parseTimeZone("-0500"), "-05:00");
  assertEquals(parseTimeZone("+02"), "+02:00");
  for (const text of ["", "Berlin", "+25:00", "2", "2026-11-21", "Europe/Berlin[x]"]) {
    assertEquals(parseTimeZone(text), undefined, text);
  }
});

const clf = (client: string, rest = "") =>
  `${client} - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "M"${rest}`;

for (
  const [name, line, client] of [
    ["lighttpd", clf("10.0.0.1 shop.example").replace(" - - ", " - "), "10.0.0.1"],
    ["lighttpd with a user", clf("10.0.0.1 shop.example").replace(" - - ", " ann "), "10.0.0.1"],
    ["vhost_combined", clf("shop.example:80 10.0.0.1"), "10.0.0.1"],
    [
      "RFC 5424",
      `<190>1 2026-11-21T10:00:00.1Z 10.9.9.9 nginx 12 - - ${clf("10.0.0.1")}`,
      "10.0.0.1",
    ],
    [
      "RFC 5424 with structured data",
      `<190>1 2026-11-21T10:00:00.1Z web nginx - ID [a@1 b="] c"][d@2] \ufeff${clf("10.0.0.1")}`,
      "10.0.0.1",
    ],
    ["stern", `web-6d4b75cb6d-abcde nginx ${clf("10.0.0.1")}`, "10.0.0.1"],
    ["stern, IPv6", `web-6d4b75cb6d-abcde nginx ${clf("2001:db8::1")}`, "2001:db8::1"],
    [
      "Spring",
      "2026-11-21 10:00:00.123  INFO 1 --- [or-http-epoll-2] r.netty.http.server.AccessLog : " +
      clf("10.0.0.1"),
      "10.0.0.1",
    ],
    ["a proxy, the client last", clf("10.9.9.9", ' "203.0.113.7, 10.0.0.2"'), "203.0.113.7"],
    ["a proxy that does not report a client", clf("10.9.9.9", ' "-"'), "10.9.9.9"],
    ["an upstream server last", clf("10.9.9.9", ' "10.0.0.2:8080"'), "10.9.9.9"],
    ["a user with spaces", clf("10.0.0.1").replace("- -", "- jo ann doe"), "10.0.0.1"],
  ]
) {
  Deno.test(`readLines finds the client address in a log line: ${name}`, () => {
    const log = `${line}\n${line}\n`;
    assertEquals(readAs(log).map((found) => found.client), [client, client]);
    // Without a collector, the line counter counts the same requests.
    const bytes = new TextEncoder().encode(log);
    assertEquals(readLines(bytes, detectFormat(bytes)!).requests, 2);
    assertEquals(readLines(bytes, COMBINED).requests, 2);
  });
}

for (
  const [header, expected] of [
    ["203.0.113.7, 10.0.0.2", "203.0.113.7"],
    ["203.0.113.7:443", "203.0.113.7"],
    [" 2001:db8::1 ,10.0.0.2", "2001:db8::1"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["-", "10.9.9.9"],
    ["", "10.9.9.9"],
    ["unknown", "10.9.9.9"],
    ["300.1", "10.9.9.9"],
  ]
) {
  Deno.test(`readLines finds the client address if the forwarded addresses are ${JSON.stringify(header)}`, () => {
    for (
      const [variable, directive] of [
        ["$http_x_forwarded_for", "%{X-Forwarded-For}i"],
        ["$http_x_real_ip", "%{X-Real-IP}i"],
        ["$http_cf_connecting_ip", "%{CF-Connecting-IP}i"],
      ]
    ) {
      const line = `10.9.9.9 1795255200 "GET /a HTTP/1.1" 200 "${header}"`;
      for (
        const format of [
          `$remote_addr $msec "$request" $status "${variable}"`,
          `%h %{sec}t "%r" %>s "${directive}"`,
        ]
      ) assertEquals(readAs(line, format).map(({ client }) => client), [expected]);
      const json = { time: 1795255200, remote_addr: "10.9.9.9", x_forwarded_for: header };
      const text = JSON.stringify({ ...json, request: "GET /a HTTP/1.1", status: 200 });
      assertEquals(readAs(text).map(({ client }) => client), [expected]);
    }
  });
}

/** A log in the W3C extended format, and the character between two values. */
interface W3cLog {
  readonly text: string;
  readonly separator: " " | "\t";
}

const SEGMENT = fc.constantFrom(
  ...["a", "cart", "17", "deadbeefdeadbeef", "a b", "a\tb", "é", "$", "\\", 'a"b', "", "#x", ";v"],
  ...["%2520", "%20", "%255B", "%5B", "%5b", "%7E", "%25", "%2", "%41", "%22"],
);
const ODD_PATH = fc.array(SEGMENT, { minLength: 1, maxLength: 3 })
  .map((all) => `/${all.join("/")}`);
const PATH = mostly(fc.constantFrom("/a", "/cart/17", "/"), ODD_PATH);

/** Values of each column. Other columns can have any values. */
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: mostly(fc.constant("2026-11-21"), fc.constantFrom("2026-11-22", "2026-11-20")),
  time: mostly(fc.constantFrom("10:00:00", "10:00:01"), fc.constantFrom("23:59:59", "10:00:00.25")),
  "cs-method": mostly(fc.constant("GET"), fc.constantFrom("POST", "M-SEARCH")),
  "cs-uri-stem": PATH,
  "cs-uri-query": mostly(
    fc.constantFrom("-", "a=1"),
    fc.constantFrom("a=%2520b", "a=%7Cb", 'a="', "a b", "a\tb", "x=é", "?a", ""),
  ),
  "cs-uri": mostly(PATH, PATH.map((path) => `https://shop.example${path}`)),
  "sc-status": mostly(fc.constantFrom("200", "404"), fc.constantFrom("-", "000")),
  "time-taken": fc.constantFrom("0", "12", "0.012", "1.5", "-"),
};
const ANY = mostly(
  fc.constantFrom("-", "x", "203.0.113.7", "a b"),
  fc.constantFrom('a"', '"', '"a', 'a""b', "a\tb", ""),
);
const OTHERS = ["c-ip", "cs(User-Agent)", "x-edge-location", "X-Custom", "s-port", "cs(Host)"];

/** Generates lists of columns: those of a request, and others, in any order. */
const COLUMNS = fc.tuple(
  fc.constantFrom(["cs-uri"], ["cs-uri-stem"], ["cs-uri-stem", "cs-uri-query"]),
  fc.subarray(["sc-status", "time-taken", ...OTHERS]),
).chain(([target, others]) => {
  const all = ["date", "time", "cs-method", ...target, ...others];
  return fc.shuffledSubarray(all, { minLength: all.length });
});

function lineOf(columns: readonly string[], separator: string): fc.Arbitrary<string> {
  const values = columns.map((name) =>
    fc.tuple(VALUES[name] ?? ANY, fc.nat({ max: 40 })).map(([value, how]) => {
      // A value that contains the separator, or starts with a quote, must be in quotes.
      const mustQuote = value.includes(separator) || value.startsWith('"');
      return mustQuote || how === 0 ? `"${value.replaceAll('"', '""')}"` : value;
    })
  );
  const extra = fc.constantFrom("", "", `${separator}more`, `${separator}"a b"`);
  const end = fc.constantFrom("\n", "\n", "\n", "\r\n");
  return fc.tuple(fc.tuple(...values), extra, end)
    .map(([values, extra, end]) => values.join(separator) + extra + end);
}

/** Generates logs with one or two layouts, with and without a `#Software:` line. */
const w3cLog: fc.Arbitrary<W3cLog> = fc.tuple(
  fc.constantFrom(" " as const, "\t" as const),
  fc.constantFrom("", "", "#Software: X\n"),
  fc.array(COLUMNS, { minLength: 1, maxLength: 2 }),
).chain(([separator, software, layouts]) => {
  const parts = layouts.map((columns) =>
    fc.array(lineOf(columns, separator), { minLength: 1, maxLength: 20 })
      .map((lines) => `#Fields: ${columns.join(separator)}\n${lines.join("")}`)
  );
  return fc.tuple(...parts).map((all) => ({
    text: `#Version: 1.0\n${software}${all.join("")}`,
    separator,
  }));
});

/** Generates values of `usual` nine times in ten, and otherwise values of `odd`. */
function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

/** Asserts that both readers of a log return the same requests as the reference implementation. */
async function assertMatchesW3cReference({ text, separator }: W3cLog): Promise<void> {
  const log = new TextEncoder().encode(text);
  const [format] = variantsOf(separator === " " ? "iis" : "cloudfront");
  const found = readRequests(log, format);
  assertEquals(
    found.map(({ ms, request, status, took }) => ({
      ms,
      request,
      status,
      ...(took !== undefined && { took }),
    })),
    referenceW3c(text, separator),
  );
  await assertCounterMatchesReader(log, format);
}

Deno.test("W3C logs with any columns, separators and quotes are read like by a naive reader", () =>
  fc.assert(fc.asyncProperty(w3cLog, assertMatchesW3cReference), COSTLY));

const LINE =
  '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET /a\\"b/7?x HTTP/1.1" 200 1 "-" "say \\"x\\""';
const CADDY =
  '{"ts":1.5,"request":{"remote_ip":"10.0.0.1","method":"GET","uri":"/a/7"},"status":200}';

for (const inner of [LINE, CADDY]) {
  for (
    const [name, wrapped] of [
      [
        "docker with spaces",
        `{"log": ${JSON.stringify(`${inner}\n`)}, "stream": "stdout"}`,
      ],
      [
        "docker with another member first",
        JSON.stringify({ stream: "stdout", time: "2026-11-21T10:00:00Z", log: `${inner}\n` }),
      ],
      [
        "docker",
        JSON.stringify({ log: `${inner}\n`, stream: "stdout", time: "2026-11-21T10:00:00Z" }),
      ],
      ["journald", JSON.stringify({ _PID: "1", MESSAGE: inner, PRIORITY: "6" })],
      ["kubernetes", `2026-11-21T10:00:00.123456789Z stdout F ${inner}`],
      ["journalctl", `Nov 21 10:00:00 web nginx[12]: ${inner}`],
      ["syslog", `<190>Nov 21 10:00:00 web nginx: ${inner}`],
      ["compose", `web-1  | ${inner}`],
      ["docker service", `web.1.k3j2h1@node-1    | ${inner}`],
      ["PM2", `0|web  | ${inner}`],
    ]
  ) {
    Deno.test(`readLines reads lines wrapped by ${name}: ${inner.slice(0, 6)}`, () => {
      const log = new TextEncoder().encode(`${wrapped}\n${wrapped}\n`);
      const clients: string[] = [];
      const client = (request: LogRequest) =>
        clients.push(new TextDecoder().decode(request.raw("client").slice()));
      const profile = readLines(log, detectFormat(log)!, { collectors: [{ add: client }] });
      const route = inner === LINE ? '/a"b/${vars.id}' : "/a/${vars.id}";
      assertEquals(profile.top(2), [{ method: "GET", route, count: 2 }]);
      assertEquals(clients, ["10.0.0.1", "10.0.0.1"]);
    });
  }
}

Deno.test("readLines reads lines with and without a prefix in the same log", () => {
  const lines = [`web-1 nginx ${clf("10.0.0.1")}`, `web-1 nginx ${clf("-")}`, clf("10.0.0.2")];
  assertEquals(readAs(lines.join("\n")).map(({ client }) => client), [
    "10.0.0.1",
    "web-1",
    "10.0.0.2",
  ]);
});
