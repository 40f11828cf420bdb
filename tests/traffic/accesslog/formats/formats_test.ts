import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../../src/base/errors.ts";
import { resolveFormats } from "../../../../src/traffic/accesslog/detect/resolve_formats.ts";
import {
  detectFormat,
  isPlainLog,
} from "../../../../src/traffic/accesslog/detect/detect_format.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/combined.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import { parseProfile } from "../../../../src/traffic/accesslog/profile/parse_profile.ts";
import { serializeProfile } from "../../../../src/traffic/accesslog/profile/serialize_profile.ts";
import { TrafficProfile } from "../../../../src/traffic/accesslog/profile/traffic_profile.ts";
import type { LogRequest } from "../../../../src/traffic/accesslog/read/log_request.ts";
import { readLines } from "../../../support/read_lines.ts";

const FOLDER = new URL("../../../../testdata/logs/formats/", import.meta.url);
const TIMED = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent ' +
  '"$http_referer" "$http_user_agent" $request_time $host';
const PIPED = "$msec|$request_method|$uri$is_args$args|$status|$request_time|$http_user_agent";
const APACHE = '%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\" %{s}T %v';

/** The compared fields; a field that a format lacks is undefined. */
interface Found {
  ms: number;
  request: string;
  status: number;
  took?: number;
  client?: string;
  agent?: string;
}

type Reference = (line: string) => Found | undefined;

/** Each sample file, the name or string of its format (default: detected), and a reference parser. */
const SAMPLES: readonly [file: string, name: string | undefined, reference: Reference][] = [
  ["combined", undefined, combined],
  ["vhost_combined", undefined, (line) => combined(line.replace(/^\S+ /, ""))],
  ["nginx_timed", TIMED, timed],
  ["nginx_timed", APACHE, timed],
  ["nginx_piped", PIPED, piped],
  ["nginx_json", undefined, nginxJson],
  ["nginx_json_request", undefined, nginxJsonRequest],
  ["caddy", undefined, caddy],
  ["traefik", undefined, traefik],
  ["traefik_clf", undefined, (line) => {
    return { ...combined(line)!, took: Number(/(\d+)ms$/.exec(line)![1]) };
  }],
  ["alb", undefined, alb],
  ["cloudfront", undefined, cloudfront],
  ["iis", undefined, iis()],
];

for (const [file, name, reference] of SAMPLES) {
  Deno.test(`${file} lines read as ${name ?? "the detected format"} have the expected fields`, () => {
    const log = Deno.readFileSync(new URL(`${file}.log`, FOLDER));
    const format = detectFormat(log, name === undefined ? undefined : resolveFormats(name))!;
    const found: Found[] = [];
    readLines(log, format, { collectors: [{ add: (request) => found.push(fields(request)) }] });
    const expected = new TextDecoder().decode(log).trim().split("\n").map(reference)
      .filter((line) => line !== undefined);
    assertEquals(found, expected);
  });
}

function fields(request: LogRequest): Found {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes.slice());
  const target = request.target();
  const found: Found = {
    ms: Math.round(request.timeMs),
    request: `${text(request.method())} ${text(target.bytes.subarray(target.from, target.to))}`,
    status: request.status,
  };
  if (request.durationMs >= 0) found.took = Number(request.durationMs.toPrecision(9));
  if (request.has("client")) found.client = text(request.raw("client"));
  if (request.has("agent")) found.agent = text(request.raw("agent"));
  return found;
}

function unescaped(text: string): string {
  const bytes = text.replace(/\\x(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}

function local(target: string): string {
  return target.replace(/^https?:\/\/[^/]+/, "");
}

function request(line: string): string | undefined {
  const [method, target] = line.split(" ");
  return /^[A-Z]+$/.test(method) ? `${method} ${local(unescaped(target))}` : undefined;
}

function combined(line: string): Found | undefined {
  const [, client, time, quoted, status, agent] =
    /^(\S+) .*? \[(.*?)\] "(.*?)" (\d+) \S+ ".*?" "(.*?)"/.exec(line)!;
  const [day, month, year, clock] = time.split(/[/:](?=\D|\d{4}|\d\d:\d\d:)/);
  const requestLine = request(quoted);
  if (requestLine === undefined) return undefined;
  return {
    ms: Date.parse(`${day} ${month} ${year} ${clock}`),
    request: requestLine,
    status: Number(status),
    client,
    ...(agent !== "-" && { agent }),
  };
}

function timed(line: string): Found | undefined {
  const found = combined(line);
  return found && { ...found, took: Number(/" ([\d.]+) \S*$/.exec(line)![1]) * 1_000 };
}

function piped(line: string): Found | undefined {
  const [ms, method, target, status, took, agent] = line.split("|");
  if (method === "-") return undefined;
  return {
    ms: Math.round(Number(ms) * 1_000),
    request: `${method} ${unescaped(target).replace(/^([^?]*)-$/, "$1")}`,
    status: Number(status),
    took: Number(took) * 1_000,
    ...(agent !== "-" && { agent }),
  };
}

/** Returns the agent with its JSON escapes, because fields are compared raw. */
function rawAgent(text: string | undefined): { agent?: string } {
  return text ? { agent: JSON.stringify(text).slice(1, -1) } : {};
}

function nginxJson(line: string): Found | undefined {
  const read = JSON.parse(line);
  if (read.request_method === "") return undefined;
  return {
    ms: Date.parse(read.time_iso8601),
    request: `${read.request_method} ${read.request_uri}`,
    status: read.status,
    took: read.request_time * 1_000,
    client: read.remote_addr,
    ...rawAgent(read.http_user_agent),
  };
}

function nginxJsonRequest(line: string): Found | undefined {
  const read = JSON.parse(line);
  const [method, target] = read.request.split(" ");
  if (!/^[A-Z]+$/.test(method)) return undefined;
  return {
    ms: Math.round(read.msec * 1_000),
    request: `${method} ${local(target)}`,
    status: Number(read.status),
    took: read.request_time * 1_000,
    client: read.client_ip,
    ...rawAgent(read.user_agent),
  };
}

function caddy(line: string): Found {
  const { ts, request, duration, status } = JSON.parse(line);
  return {
    ms: Math.round(ts * 1_000),
    request: `${request.method} ${request.uri}`,
    status,
    took: Number((duration * 1_000).toPrecision(9)),
    client: request.remote_ip,
    ...rawAgent(request.headers["User-Agent"]?.[0]),
  };
}

function traefik(line: string): Found {
  const read = JSON.parse(line);
  return {
    ms: Math.round(Date.parse(read.StartUTC.replace(/(\.\d{3})\d+/, "$1"))),
    request: `${read.RequestMethod} ${read.RequestPath}`,
    status: read.DownstreamStatus,
    took: Number((read.Duration / 1e6).toPrecision(9)),
    client: read.ClientHost,
    ...rawAgent(read["request_User-Agent"]),
  };
}

function alb(line: string): Found {
  const [, time, , client, , a, b, c, status] = line.split(" ");
  const [, quoted, agent] = /"(.*?)" "((?:\\.|[^"])*)"/.exec(line)!;
  const took = Number(((Number(a) + Number(b) + Number(c)) * 1_000).toPrecision(9));
  return {
    ms: Date.parse(time.replace(/(\.\d{3})\d+/, "$1")),
    request: request(quoted)!,
    status: Number(status),
    ...(took >= 0 && { took }),
    client: client.replace(/:\d+$/, ""),
    agent,
  };
}

function cloudfront(line: string): Found | undefined {
  if (line.startsWith("#")) return undefined;
  const at = line.split("\t");
  return {
    ms: Date.parse(`${at[0]}T${at[1]}Z`),
    request: `${at[5]} ${at[7]}${at[11] === "-" ? "" : `?${at[11]}`}`,
    status: Number(at[8]),
    took: Number(at[18]) * 1_000,
    client: at[4],
    agent: at[10],
  };
}

function iis(): Reference {
  let names: string[] = [];
  return (line) => {
    if (line.startsWith("#Fields: ")) names = line.slice(9).split(" ");
    if (line.startsWith("#")) return undefined;
    const read = Object.fromEntries(line.split(" ").map((word, i) => [names[i], word]));
    const query = read["cs-uri-query"] ?? "-";
    return {
      ms: Date.parse(`${read.date}T${read.time}Z`),
      request: `${read["cs-method"]} ${read["cs-uri-stem"]}${query === "-" ? "" : `?${query}`}`,
      status: Number(read["sc-status"]),
      ...(read["time-taken"] && { took: Number(read["time-taken"]) }),
      client: read["c-ip"],
      ...(read["cs(User-Agent)"] && { agent: read["cs(User-Agent)"] }),
    };
  };
}

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
    ]
  ) {
    Deno.test(`reads lines that ${name} has wrapped: ${inner.slice(0, 6)}`, () => {
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
    ["a proxy that names no client", clf("10.9.9.9", ' "-"'), "10.9.9.9"],
    ["an upstream server last", clf("10.9.9.9", ' "10.0.0.2:8080"'), "10.9.9.9"],
    ["a user with spaces", clf("10.0.0.1").replace("- -", "- jo ann doe"), "10.0.0.1"],
  ]
) {
  Deno.test(`finds the client in lines of ${name}`, () => {
    const log = `${line}\n${line}\n`;
    assertEquals(readAs(log).map((found) => found.client), [client, client]);
    // Without a collector, the counter counts the same requests.
    const bytes = new TextEncoder().encode(log);
    assertEquals(readLines(bytes, detectFormat(bytes)!).requests, 2);
    assertEquals(readLines(bytes, COMBINED).requests, 2);
  });
}

Deno.test("reads the lines without a prefix in a log with prefixed lines", () => {
  const lines = [`web-1 nginx ${clf("10.0.0.1")}`, `web-1 nginx ${clf("-")}`, clf("10.0.0.2")];
  assertEquals(readAs(lines.join("\n")).map(({ client }) => client), [
    "10.0.0.1",
    "web-1",
    "10.0.0.2",
  ]);
});

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
  Deno.test(`finds the client in the forwarded addresses ${JSON.stringify(header)}`, () => {
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

Deno.test("caddy: reads lines in every time_format", () => {
  const ms = Date.UTC(2026, 10, 21, 10);
  for (
    const ts of [
      ms / 1_000,
      ms,
      BigInt(ms) * 1_000_000n,
      '"2026-11-21T10:00:00.000Z"',
      '"2026-11-21T10:00:00+0000"',
      '"2026/11/21 10:00:00.000"',
      '"21/Nov/2026:10:00:00 +0000"',
    ]
  ) {
    const line = `{"level":"info","ts":${ts},"request":{"remote_ip":"10.9.9.9",` +
      '"client_ip":"10.0.0.1","method":"GET","uri":"/a?b"},"status":200}';
    const found = [{ ms, request: "GET /a?b", status: 200, client: "10.0.0.1" }];
    assertEquals(readAs(line), found, line);
    assertEquals(readAs(line, "caddy"), found, line);
  }
});

Deno.test("nginx-json: accepts the member names `path`, `url` and `ts`", () => {
  const found = [{ ms: 1_795_255_200_000, request: "GET /a?b", status: 200 }];
  for (const target of ['"path":"/a?b"', '"url":"https://shop.example/a?b"', '"uri":"/a?b"']) {
    assertEquals(readAs(`{"ts":1795255200,"method":"GET",${target},"status":200}`), found);
  }
});

Deno.test("isPlainLog accepts only the combined format", () => {
  const read = (name: string) => Deno.readFileSync(new URL(`${name}.log`, FOLDER));
  const plain = SAMPLES.map(([name]) => name).filter((name) => isPlainLog(read(name)));
  const expected = ["combined", "vhost_combined", "nginx_timed", "nginx_timed", "traefik_clf"];
  assertEquals(plain, expected);
  assertEquals(detectFormat(new TextEncoder().encode("buy milk\n")), undefined);
});

Deno.test("resolveFormats rejects an unknown or incomplete format", () => {
  for (const text of ["cady", "$status", '$time_local "$status"', "%h %s", '%t "%m"']) {
    assertThrows(() => resolveFormats(text), UsageError, "--log-format");
  }
});

/** Returns the requests of a log in the given format, or in the detected one. */
function readAs(log: string, format?: string): Found[] {
  const bytes = new TextEncoder().encode(log);
  const found: Found[] = [];
  const formats = format === undefined ? undefined : resolveFormats(format);
  const add = (request: LogRequest) => found.push(fields(request));
  readLines(bytes, detectFormat(bytes, formats) ?? formats![0], { collectors: [{ add }] });
  return found;
}

Deno.test("reads Unix times in all units in every format", () => {
  const ms = 1_795_308_602_123;
  for (const time of [`${ms}`, `${ms}000`, `${ms}000000`, `${ms / 1_000}`, `${ms}.0`]) {
    for (
      const [line, format] of [
        [`{"timestamp":${time},"request":"GET /p HTTP/1.1","status":200}`],
        [`{"time":${time},"method":"GET","uri":"/p","status":200}`],
        [`{"msec":"${time}","method":"GET","uri":"/p","status":200}`],
        [`{"ts":${time},"request":{"method":"GET","uri":"/p"},"status":200}`],
        [`${time} "GET /p HTTP/1.1" 200`, '$msec "$request" $status'],
        [`${time} "GET /p HTTP/1.1" 200`, '%{sec}t "%r" %>s'],
        [`${time} "GET /p HTTP/1.1" 200`, '%{usec}t "%r" %>s'],
      ]
    ) {
      const found = readAs(`${line}\n${line}\n`, format);
      assertEquals(found.map(({ ms }) => ms), [ms, ms], line);
    }
  }
});

Deno.test("an nginx variable without an opening brace ends before a closing brace", () => {
  const format =
    'escape=json {"when":"$time_iso8601","ip":"$remote_addr","verb":"$request_method",' +
    '"where":"$request_uri","in":{"took":$request_time}, "code":$status}';
  const line = '{"when":"2026-11-21T10:00:00+00:00","ip":"10.0.0.1","verb":"GET","where":"/a?b",' +
    '"in":{"took":0.250}, "code":200}';
  const expected = {
    ms: Date.UTC(2026, 10, 21, 10),
    request: "GET /a?b",
    status: 200,
    took: 250,
    client: "10.0.0.1",
  };
  assertEquals(readAs(line, format), [expected]);
  assertEquals(readAs(line, format.replace("$status", "${status}")), [expected]);
  const last = format.replace("$status", "7").replace('"in":{', '"code":"$status", "in":{');
  assertEquals(
    readAs(
      line.replace('"in":{', '"code":"200", "in":{').replace('"code":200}', '"code":7}'),
      last,
    ),
    [expected],
  );
});

Deno.test("--log-format ignores fields after its last variable", () => {
  const line =
    '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512 "-" "curl/8" 0.25';
  const ms = Date.UTC(2026, 10, 21, 10);
  const request = "GET /a";
  for (
    const format of [
      '%h %l %u %t "%r" %>s',
      '$remote_addr - $remote_user [$time_local] "$request" $status',
      '%h %l %u %t "%r" %>s %b',
    ]
  ) assertEquals(readAs(line, format), [{ ms, request, status: 200, client: "10.0.0.1" }], format);
  assertEquals(readAs("200|GET|/a|1795255200|x y", "$status|$request_method|$uri|$msec"), [
    { ms, request, status: 200 },
  ]);
  assertEquals(readAs("1795255200\tGET /a\t200\t9\t1", "%{sec}t\\t%m %U\\t%s\\t%D"), [
    { ms, request, status: 200, took: 0.009 },
  ]);
  assertEquals(readAs("1795255200 200 GET /a\t1", "$msec $status $request_method $request_uri"), [
    { ms, request, status: 200 },
  ]);
  // A path and a user agent may contain spaces.
  assertEquals(readAs("1795255200 200 GET /a b", "$msec $status $request_method $uri"), [
    { ms, request: "GET /a b", status: 200 },
  ]);
});

Deno.test("--log-format reads timestamps with milliseconds or without a zone", () => {
  const haproxy =
    "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 " +
    '2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"';
  const format = "$remote_addr:$port [$time_local] $frontend $server $times $status $bytes_sent " +
    '$more "$request"';
  assertEquals(readAs(haproxy, format), [{
    ms: Date.UTC(2009, 1, 6, 12, 14, 14, 655),
    request: "GET /index.html",
    status: 200,
    client: "10.0.1.2",
  }]);
  const expected = [{ ms: Date.UTC(2026, 10, 22, 0, 50, 2), request: "GET /a", status: 200 }];
  for (
    const time of [
      "22/Nov/2026:00:50:02",
      "22/Nov/2026:00:50:02.000 +0000",
      "22/Nov/2026:02:50:02 +02:00",
      "22/Nov/2026 00:50:02 UTC",
    ]
  ) {
    assertEquals(
      readAs(`[${time}] "GET /a HTTP/1.1" 200`, '[$time_local] "$request" $status'),
      expected,
    );
    assertEquals(readAs(`[${time}] "GET /a HTTP/1.1" 200`, '%t "%r" %>s'), expected);
    assertEquals(
      readAs(`${time} GET /a 200`, "$time_local $request_method $uri $status"),
      expected,
    );
  }
  for (
    const time of [
      "2026-11-22T00:50:02",
      "2026-11-22 00:50:02,000",
      "2026-11-22 01:50:02 +0100",
      "2026/11/22 00:50:02",
    ]
  ) {
    assertEquals(
      readAs(`${time} GET /a 200`, "$time_iso8601 $request_method $uri $status"),
      expected,
    );
  }
});

Deno.test("--log-format reads Apache's strftime layouts and fractions of a second", () => {
  const ms = Date.UTC(2026, 10, 22, 0, 50, 2);
  for (
    const [time, text, extra] of [
      ["%{%Y-%m-%d %H:%M:%S}t", "2026-11-22 00:50:02", 0],
      ["%{%F %T}t", "2026-11-22 00:50:02", 0],
      ["[%{%d/%b/%Y %T}t.%{msec_frac}t %{%z}t]", "[22/Nov/2026 02:50:02.655 +0200]", 655],
      ["%{begin:%d.%m.%y %I:%M:%S %p}t", "22.11.26 12:50:02 AM", 0],
      [
        "%{%a, %e %B %Y}t at %{%H:%M:%S}t.%{usec_frac}t",
        "Sun, 22 November 2026 at 00:50:02.123456",
        123,
      ],
      ["%{usec}t", `${ms}500`, 0.5],
      ["%{sec}t.%{msec_frac}t", `${ms / 1_000}.655`, 655],
      ["%{%s}t", `${ms / 1_000}`, 0],
      ["%t %{msec_frac}t", "[22/Nov/2026:00:50:02 +0000] 655", 0],
    ] as const
  ) {
    const expected = [{ ms: Math.round(ms + extra), request: "GET /a", status: 200 }];
    assertEquals(readAs(`${text} GET /a 200`, `${time} %m %U %>s`), expected, time);
    assertEquals(readAs(`200 GET /a ${text}`, `%>s %m %U ${time}`), expected, time);
  }
  assertThrows(() => resolveFormats('%{%G}t "%r" %s'), UsageError, "%G");
  assertThrows(() => resolveFormats('%{%H:%M}t "%r" %s'), UsageError, "the time");
});

Deno.test("a profile stores whether a timestamp without a zone was read as UTC", () => {
  const withoutZone = (log: string, chunkLength?: number) => {
    const bytes = new TextEncoder().encode(log);
    const [format] = resolveFormats('$time_iso8601 "$request" $status');
    const profile = readLines(bytes, format, { chunkLength });
    assertEquals(parseProfile(serializeProfile(profile), "p").withoutZone, profile.withoutZone);
    const whole = new TrafficProfile();
    whole.append(profile);
    assertEquals(whole.withoutZone, profile.withoutZone);
    return profile.withoutZone;
  };
  const line = (time: string) => `${time} "GET /a HTTP/1.1" 200\n`;
  const zoned = line("2026-11-22T00:50:02Z");
  assertEquals(withoutZone(zoned.repeat(9)), false);
  assertEquals(withoutZone(zoned + line("2026-11-22T00:50:03") + zoned), true);
  assertEquals(withoutZone(line("2026-11-22T00:50:03").repeat(9)), true);
  // A line that is not a request has no effect.
  assertEquals(withoutZone(zoned + '2026-11-22T00:50:03 "x" 200\n'), false);
});

Deno.test("--log-format reads Apache's keywords for timestamps and durations", () => {
  const read = (format: string, line: string): Found => {
    const found: Found[] = [];
    const [meant]: readonly LogFormat[] = resolveFormats(format);
    const add = (request: LogRequest) => found.push(fields(request));
    readLines(new TextEncoder().encode(line), meant, { collectors: [{ add }] });
    return found[0];
  };
  const expected = { ms: 1_700_000_000_000, request: "GET /a?b", status: 200, took: 1.5 };
  const { ms, ...rest } = expected;
  assertEquals(read("%{sec}t %m %U%q %>s %D", "1700000000 GET /a?b 200 1500"), expected);
  assertEquals(
    read('%{msec}t "%r" %s %{ms}T', '1700000000000 "GET /a?b HTTP/1.1" 200 1.5'),
    expected,
  );
  assertEquals(
    read(
      "%{%Y-%m-%dT%H:%M:%S%z}t\t%m %U%q 100%% %>s %{us}T",
      "2023-11-14T22:13:20+0000\tGET /a?b 100% 200 1500",
    ),
    { ms, ...rest },
  );
});
