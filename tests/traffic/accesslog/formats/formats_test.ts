import { assert, assertEquals, assertLess, assertThrows } from "@std/assert";
import { UsageError } from "../../../../src/base/errors.ts";
import {
  detectFormat,
  FORMAT_NAMES,
  resolveFormats,
} from "../../../../src/traffic/accesslog/formats/formats.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import type { LogRequest } from "../../../../src/traffic/accesslog/read/log_request.ts";
import { assertCounterMatchesReader } from "../../../support/both_readers.ts";
import { FORMAT_SAMPLES } from "../../../support/format_samples.ts";
import { readLines } from "../../../support/read_lines.ts";
import { readAs, type ReadRequest, readRequests } from "../../../support/read_requests.ts";

const FORMATS = new URL("../../../../testdata/logs/formats/", import.meta.url);
const TIMED = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent ' +
  '"$http_referer" "$http_user_agent" $request_time $host';
const PIPED = "$msec|$request_method|$uri$is_args$args|$status|$request_time|$http_user_agent";
const APACHE = '%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\" %{s}T %v';

type Reference = (line: string) => ReadRequest | undefined;

/** Each sample file with its `--log-format` value (default: detected) and a reference parser. */
const SAMPLES: readonly [file: string, name: string | undefined, reference: Reference][] = [
  ["combined", undefined, combined],
  ["common", "common", common],
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
  Deno.test(`lines of ${file}, parsed as ${name ?? "the detected format"}, have the expected fields`, () => {
    const log = Deno.readFileSync(new URL(`${file}.log`, FORMATS));
    const format = detectFormat(log, name === undefined ? undefined : resolveFormats(name))!;
    const expected = new TextDecoder().decode(log).trim().split("\n").map(reference)
      .filter((line) => line !== undefined);
    assertEquals(readRequests(log, format), expected);
  });
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

function common(line: string): ReadRequest | undefined {
  return combined(`${line} "-" "-"`);
}

function combined(line: string): ReadRequest | undefined {
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

function timed(line: string): ReadRequest | undefined {
  const found = combined(line);
  return found && { ...found, took: Number(/" ([\d.]+) \S*$/.exec(line)![1]) * 1_000 };
}

function piped(line: string): ReadRequest | undefined {
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

/** Returns the user agent with its JSON escapes, because `readRequests` does not decode it. */
function rawAgent(text: string | undefined): { agent?: string } {
  return text ? { agent: JSON.stringify(text).slice(1, -1) } : {};
}

function nginxJson(line: string): ReadRequest | undefined {
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

function nginxJsonRequest(line: string): ReadRequest | undefined {
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

function caddy(line: string): ReadRequest {
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

function traefik(line: string): ReadRequest {
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

function alb(line: string): ReadRequest {
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

function cloudfront(line: string): ReadRequest | undefined {
  if (line.startsWith("#")) return undefined;
  const at = line.split("\t");
  return {
    ms: Date.parse(`${at[0]}T${at[1]}Z`),
    request: `${at[5]} ${at[7]}${at[11] === "-" ? "" : `?${at[11].replaceAll("%25", "%")}`}`,
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

Deno.test("a request whose status is 0, -, -1, or 000 has no status", () => {
  const json = (status: string) =>
    `{"level":"info","ts":1795255200,"request":{"method":"GET","uri":"/a"},"status":${status}}`;
  const text = (status: string) =>
    `h - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/2.0" ${status} 0 "-" "-"`;
  const read = (line: string, format?: string) =>
    readAs(line, format).map(({ request, status }) => [request, status]);
  for (const status of ["0", "000", "-"]) {
    assertEquals(read(text(status)), [["GET /a", 0]], status);
    assertEquals(read(json(status === "0" ? status : `"${status}"`)), [["GET /a", 0]], status);
  }
  for (const status of ["1", "00"]) assertEquals(read(text(status), "combined"), [], status);
  assertEquals(read(json("7"), "caddy"), []);
  const haproxy = "Nov  1 10:00:05 lb haproxy[14389]: 10.0.1.2:33317 [01/Nov/2026:10:00:05.655] " +
    'in static/srv1 10/0/30/-1/5 -1 0 - - CR-- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"';
  assertEquals(read(haproxy), [["GET /a", 0]]);
  const envoy = '[2026-11-21T10:00:00.600Z] "GET /a HTTP/3" 0 DC 0 2 6 - "10.0.35.28" "x" "id" ' +
    '"h" "-"';
  assertEquals(read(envoy), [["GET /a", 0]]);
});

Deno.test("JSON lines can have spaces around values", () => {
  const line = '{ "ts" : 1795255200.5 , "request": "GET /a HTTP/1.1", "status": 200 }';
  assertEquals(readAs(line), [{ ms: 1_795_255_200_500, request: "GET /a", status: 200 }]);
});

Deno.test("nginx-json: accepts the member names `path`, `url` and `ts`", () => {
  const found = [{ ms: 1_795_255_200_000, request: "GET /a?b", status: 200 }];
  for (const target of ['"path":"/a?b"', '"url":"https://shop.example/a?b"', '"uri":"/a?b"']) {
    assertEquals(readAs(`{"ts":1795255200,"method":"GET",${target},"status":200}`), found);
  }
});

Deno.test("detectFormat recognizes no format in other text", () => {
  assertEquals(detectFormat(new TextEncoder().encode("buy milk\n")), undefined);
});

Deno.test("resolveFormats rejects an unknown format name and an incomplete format string", () => {
  for (const text of ["cady", "$status", '$time_local "$status"', "%h %s", '%t "%m"']) {
    assertThrows(() => resolveFormats(text), UsageError, "--log-format");
  }
});

Deno.test("every format reads Unix times in all units", () => {
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

Deno.test("Caddy's console format is read with every `time_format`", () => {
  const times = [
    ...["2026/11/21 10:00:00.310", "2026-11-21T10:00:00.310Z", "1.79525520031e+09"],
    ...["1.79525520031e+12", "1795255200310000000", "21/Nov/2026:10:00:00 +0000"],
  ];
  for (const time of times) {
    const line = `${time}\t\x1b[34mINFO\x1b[0m\thttp.log.access.log0\thandled request\t` +
      '{"request": {"remote_ip": "203.0.113.7", "method": "GET", "uri": "/cart?id=7"}, ' +
      '"duration": 0.002, "size": 512, "status": 200}\n';
    const [{ ms, ...found }] = readAs(line.repeat(2));
    assertEquals(found, {
      request: "GET /cart?id=7",
      status: 200,
      took: 2,
      client: "203.0.113.7",
    }, time);
    assertEquals(Math.floor(ms / 1_000), 1_795_255_200, time);
  }
});

Deno.test("caddy: only lines of the access log are requests", () => {
  const request = '"request":{"method":"GET","uri":"/a"},"status":502';
  const loggers = [
    "http.log.access",
    "http.log.access.log0",
    "http.log.error",
    "http.log.error.log0",
  ];
  const others = ["http.handlers.reverse_proxy", "admin"];
  const json = (logger: string) => `{"ts":1795255200,"logger":"${logger}",${request}}\n`;
  const text = (logger: string) =>
    `1.7952552e+09\tERROR\t${logger}\tdial tcp: refused\t{${request}}\n`;
  for (const line of [json, text]) {
    const log = [...loggers, ...others].map(line).join("");
    assertEquals(readAs(log).map(({ request }) => request), ["GET /a", "GET /a"]);
  }
  // Caddy can be configured to omit the logger.
  assertEquals(readAs(`1795255200\tINFO\thandled request\t{${request}}\n`).length, 1);
});

/** A request as its sender recorded it. `time` is in Unix milliseconds. */
interface Sent {
  readonly time: number;
  readonly method: string;
  readonly target: string;
  readonly client: string;
  readonly status: number;
}

interface Samples {
  readonly sent: readonly Sent[];
  /** The logs that need a `--log-format` to be read, or that lack a field. */
  readonly special: Readonly<Record<string, { option?: string; lacks?: readonly string[] }>>;
}

const SAMPLE_FILES = new URL("../../../../testdata/logs/samples/", import.meta.url);
const { sent, special }: Samples = JSON.parse(
  Deno.readTextFileSync(new URL("samples.json", SAMPLE_FILES)),
);
const written = logsIn(SAMPLE_FILES);

function logsIn(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => name.endsWith(".log")).map((name) => name.slice(0, -4)).sort();
}

for (const name of written) {
  const { option, lacks = [] } = special[name] ?? {};
  const how = option === undefined ? "detects its format" : `with --log-format '${option}'`;
  Deno.test(`the requests in samples/${name}.log are read as they were sent: ${how}`, () => {
    const log = Deno.readFileSync(new URL(`${name}.log`, SAMPLE_FILES));
    if (option !== undefined) assertEquals(detectFormat(log), undefined);
    const format = detectFormat(log, option === undefined ? undefined : resolveFormats(option));
    assertEquals(
      readRequests(log, format!).map(({ ms, request, status, client }) => ({
        second: Math.floor(ms / 1_000),
        request,
        status,
        client,
      })),
      sent.map(({ time, method, target, status, client }) => ({
        second: time / 1_000,
        request: `${method} ${target}`,
        status: lacks.includes("status") ? 0 : status,
        client: lacks.includes("client") ? undefined : client,
      })),
    );
  });
}

Deno.test("every named format has a sample log", () => {
  const found = written.map((name) =>
    detectFormat(Deno.readFileSync(new URL(`${name}.log`, SAMPLE_FILES)))?.name
  );
  // Lines in the common format are also lines in the combined format.
  const missing = FORMAT_NAMES.filter((name) => !found.includes(name) && name !== "common");
  assertEquals(missing, []);
});

const SERVERS = new URL("servers/", SAMPLE_FILES);
for (const name of logsIn(SERVERS)) {
  Deno.test(`the log of ${name} contains the requests that the client sent`, () => {
    const log = Deno.readFileSync(new URL(`${name}.log`, SERVERS));
    const { sent }: { sent: Sent[] } = JSON.parse(
      Deno.readTextFileSync(new URL(`${name}.json`, SERVERS)),
    );
    const found = readRequests(log, detectFormat(log, undefined, true)!);
    assertEquals(
      found.map(({ request, status, client }) => ({ request, status, client })),
      sent.map(({ method, target, status, client }) => ({
        request: `${method} ${target}`,
        status,
        client,
      })),
    );
    for (const [i, { ms }] of found.entries()) assertLess(Math.abs(ms - sent[i].time), 2_000);
  });
}

const encoder = new TextEncoder();

for (const [name, sample] of Object.entries(FORMAT_SAMPLES)) {
  Deno.test(`the sample line of ${name} matches the format and is enough to detect it`, () => {
    const line = encoder.encode(`${sample}\n`);
    assert(detectFormat(line, resolveFormats(name)) !== undefined);
    // Every line in the common format is also a line in the combined format.
    assertEquals(detectFormat(line)?.name, name === "common" ? "combined" : name);
  });
}

Deno.test("docs/recipes.md lists every named format", () => {
  const page = Deno.readTextFileSync(new URL("../../../../docs/recipes.md", import.meta.url));
  const table = page.slice(page.indexOf("| format  "), page.indexOf("For any other format"));
  assertEquals(Array.from(table.matchAll(/^\| `([\w-]+)`/gm), ([, name]) => name), FORMAT_NAMES);
});

const CASES = new URL("../../../../testdata/logs/cases/", import.meta.url);
const NGINX_TABS = '$remote_addr\\t[$time_local]\\t"$request"\\t$status';

const NGINX_DIRECTIVE = `
  log_format  main  '$remote_addr'
                    '\\t$time_local' "\\t$request"
                    # '\\t$http_referer'
                    '\\t$request_time\\t$status';`;
const NGINX_WHOLE_URL =
  '$remote_addr $http_x_forwarded_for - $remote_user [$time_local] "$request_method ' +
  '$scheme://$host$request_uri $server_protocol" $status $body_bytes_sent "$http_referer" ' +
  '"$http_user_agent" $request_time';
const APACHE_UNQUOTED = "%D %h %l %u %t %r %s %b %{Referer}i %{User-Agent}i";

/** Each log with its requests: method, target, status, and duration in milliseconds, if any. */
const LOGS: readonly [file: string, requests: readonly string[], option?: string][] = [
  ["w3c-tabs", ["a", "b", "a", "b", "a", "b"].map((name) => `GET /p/${name} 200`)],
  ["w3c-tabs-path-last", Array(5).fill("GET /p/other 200")],
  ["cloudfront-encoded", [
    "GET /v4/a%20b,c%2Cd.json?access_token=pk.x&q=a%20b%2Bc 200 0",
    "GET /v4/a%20b.json?q=%E4&r=%22 200 0",
  ]],
  ["caddy-errors", [
    ...["GET / 200 0.018408", "GET /a 200 0.019469", "GET /bad/1 502 0.402721"],
    ...["GET /bad/2 502 0.1808", "GET /err/1 500 0.030044", "GET /missing 200 0.019449"],
  ]],
  ["nginx-json-default-escape", [
    'GET /c/café/"x"?q=1 200 100',
    "GET /c/a b+c 200 100",
    "GET /c/é/100%/? 200 100",
  ]],
  ["json-escaped-method", [1, 2, 3].map((id) => `GET /a/${id} 200`)],
  ["caddy-durations", ["GET /a 200 1.5", "GET /export 200 62500"]],
  ["nginx-tabs", ["GET /a 200"], NGINX_TABS],
  ["nginx-directive", ["GET /a 200 12", "POST /b?c=d e 302 1000"], NGINX_DIRECTIVE],
  [
    "nginx-whole-url",
    ["GET /data/apage.php 404 30", "POST /?a=b%20c 200 247"],
    NGINX_WHOLE_URL,
  ],
  [
    "apache-unquoted",
    ["POST /xyz/test?a=true&b=false 200 4.2", "GET /a b 404 0.5"],
    APACHE_UNQUOTED,
  ],
  [
    "apache-two-durations",
    ["GET /some/url/ 200 799.94", "GET /slow 200 2000.14"],
    '%h %l %u %t %T/%D "%r" %>s',
  ],
  ["gin-unquoted", [
    "GET /prices 200 0.085375",
    "POST /orders?id=7 404 1500",
    "GET /export 200 123000",
    "GET /export 200 3605000",
  ]],
  ["istio-before-1.9", ["GET /s 503 12", "POST /t?u=v 200 148"]],
  ["heroku-codes", ["POST /slow 503 30000", "GET /x 503 3", "GET /ok 200 18", "POST /up 499 10"]],
  ["weblogic", ["POST /FC/LogServlet?a=1 200 29", "GET /FC/x 200 104"]],
  ["iis-advanced", ["GET / 401 7", 'POST /a "b" %2520c?x=1 201 1250']],
];

for (const [file, requests, option] of LOGS) {
  Deno.test(`the requests in cases/${file}.log are read as they were sent`, async () => {
    const log = Deno.readFileSync(new URL(`${file}.log`, CASES));
    const format = detectFormat(log, option === undefined ? undefined : resolveFormats(option));
    const found = format === undefined ? [] : readRequests(log, format);
    assertEquals(
      found.map(({ request, status, took }) => [request, status, took].join(" ").trim()),
      requests,
    );
    await assertCounterMatchesReader(log, format!);
  });
}

/** Folder with logs of real servers, and with the requests that a client sent to these servers. */
const SENT = new URL("../../../../testdata/logs/formats/sent/", import.meta.url);

/** A request as recorded by the client, with its time and the status of the response. */
interface SentRequest {
  readonly ms: number;
  readonly line: string;
  readonly agent?: string;
  readonly status: number;
}

/**
 * Each log file with its `--log-format` value (default: detected) and the part of a request that it
 * lacks.
 */
const SERVER_LOGS: readonly [
  file: string,
  name?: string,
  missing?: "agent" | "escapes of the path",
][] = [
  ["apache_common", undefined, "agent"],
  ["apache_combined"],
  ["apache_combined", '%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\"'],
  ["apache_vhost_combined"],
  ["apache_timed", '%{msec}t %a \\"%r\\" %>s %b %{us}T \\"%{User-Agent}i\\"'],
  [
    "apache_piped",
    "%{%Y-%m-%dT%H:%M:%S%z}t|%a|%D|%>s|%m|%U%q|%{User-Agent}i",
    "escapes of the path",
  ],
  ["caddy"],
  ["nginx_json"],
  [
    "nginx_escape_json",
    'escape=json $time_iso8601 $remote_addr "$request" $status $request_time "$http_user_agent"',
  ],
  [
    "nginx_escape_none",
    "escape=none $msec|$request_method|$request_uri|$status|$request_time|$http_user_agent",
  ],
  [
    "nginx_bare",
    '[$time_local] $request_method $request_uri $status $request_time "$http_user_agent"',
  ],
];

for (const [file, name, missing] of SERVER_LOGS) {
  Deno.test(`lines of ${file}, parsed as ${name ?? "the detected format"}, match the requests that the client sent`, () => {
    const log = Deno.readFileSync(new URL(`${file}.log`, SENT));
    const format = detectFormat(log, name === undefined ? undefined : resolveFormats(name))!;
    const lines = new TextDecoder().decode(log).trimEnd().split("\n");
    const logged = sentTo(file.split("_")[0]).filter((sent) => isLogged(file, sent));
    assertEquals(lines.length, logged.length);
    for (const [i, sent] of logged.entries()) {
      const found = readLine(`${lines[i]}\n`, format);
      // Servers log different parts of an invalid request.
      if (sent.status === 400) continue;
      if (found === undefined) throw new Error(`not read: ${lines[i]}`);
      const { ms, took, ...rest } = found;
      const expected = {
        request: missing === "escapes of the path" ? servedAs(sent.line) : withoutOrigin(sent.line),
        status: sent.status,
        agent: missing === "agent" ? undefined : sent.agent,
      };
      assertEquals(rest, expected);
      assertLess(Math.abs(ms - sent.ms), 2_000);
      assertLess(took, 1_000);
    }
  });
}

function sentTo(server: string): SentRequest[] {
  return JSON.parse(Deno.readTextFileSync(new URL(`${server}.json`, SENT)));
}

/** Reports whether the server logs a request. Caddy logs neither bad requests nor `OPTIONS *`. */
function isLogged(file: string, { line, status }: SentRequest): boolean {
  return file !== "caddy" || (status !== 400 && !line.startsWith("OPTIONS *"));
}

function withoutOrigin(line: string): string {
  const [method, target] = line.split(" ");
  return `${method} ${target.replace(/^http:\/\/[^/]+/, "")}`;
}

/**
 * Returns the request as Apache logs it for `%m %U%q`: the path is unescaped, and `/index.html`
 * replaces `/`.
 */
function servedAs(line: string): string {
  const [head, ...query] = withoutOrigin(line).split(/(?=\?)/);
  const bytes = head.replace(/%(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  const latin = new TextEncoder().encode(head).length === head.length ? bytes : undefined;
  const path = latin === undefined
    ? head
    : new TextDecoder().decode(Uint8Array.from(latin, (char) => char.charCodeAt(0)));
  return path.replace(/ \/$/, " /index.html") + query.join("");
}

function readLine(line: string, format: LogFormat) {
  const found: ReturnType<typeof fields>[] = [];
  const add = (request: LogRequest) => void found.push(fields(request, format));
  readLines(new TextEncoder().encode(line), format, { collectors: [{ add }] });
  return found.at(0);
}

function fields(request: LogRequest, { escapes }: LogFormat) {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes.slice());
  const { bytes, from, to } = request.target;
  return {
    ms: request.timeMs,
    took: request.durationMs,
    request: `${text(request.method())} ${text(bytes.subarray(from, to))}`,
    status: request.status,
    agent: request.has("agent") ? withoutEscapes(text(request.raw("agent")), escapes) : undefined,
  };
}

/**
 * Decodes a server's escape sequences, because `rehearse` reads the user agent without decoding it.
 */
function withoutEscapes(text: string, escapes: LogFormat["escapes"]): string {
  if (escapes === "none") return text;
  if (escapes === "json") return JSON.parse(`"${text}"`);
  const plain = unescape(encodeURIComponent(text)).replace(
    /\\(?:x(..)|(.))/g,
    (_, hex, char) => hex === undefined ? char : String.fromCharCode(parseInt(hex, 16)),
  );
  return new TextDecoder().decode(Uint8Array.from(plain, (char) => char.charCodeAt(0)));
}
