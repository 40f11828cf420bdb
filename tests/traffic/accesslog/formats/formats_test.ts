import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../../src/base/errors.ts";
import { detectFormat, resolveFormats } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { readAs, type ReadRequest, readRequests } from "../../../support/read_requests.ts";

const FOLDER = new URL("../../../../testdata/logs/formats/", import.meta.url);
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
    const log = Deno.readFileSync(new URL(`${file}.log`, FOLDER));
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
