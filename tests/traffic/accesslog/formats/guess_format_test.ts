import {
  assertEquals,
  assertGreater,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { UsageError } from "../../../../src/base/errors.ts";
import { safeText, shellWord } from "../../../../src/base/safe_text.ts";
import {
  detectFormat,
  findContainer,
  firstLines,
  FORMATS,
  resolveFormats,
  resolveJson,
  withClient,
} from "../../../../src/traffic/accesslog/formats/formats.ts";
import {
  type FormatGuess,
  guessFormat,
  guessJson,
} from "../../../../src/traffic/accesslog/formats/guess_format.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import { LogRequest } from "../../../../src/traffic/accesslog/read/log_request.ts";
import { RequestReader } from "../../../../src/traffic/accesslog/read/request_reader.ts";
import { runCli } from "../../../support/cli.ts";
import { CliFolder } from "../../../support/cli_folder.ts";
import { FORMAT_SAMPLES } from "../../../support/format_samples.ts";
import { readLines } from "../../../support/read_lines.ts";
import { readRequests } from "../../../support/read_requests.ts";

const JSON_LINES = [
  '{"when":"2026-11-22T00:50:02Z","who":"10.0.0.1","what":"GET","where":"/a?b","http":{"code":200}}',
  '{"when":"2026-11-22T00:50:03Z","who":"10.0.0.2","what":"GET","where":"/a?b","http":{"code":404}}',
];
const SAMPLES: readonly (readonly [looksLike: string, lines: readonly string[]])[] = [
  ["JSON with the members when, who, what, where, http.code", JSON_LINES],
  ["logfmt (name=value)", [
    'when=2026-11-22T00:50:02Z level=info what=GET where=/a?b code=200 took=1ms agent="a b"',
    'when=2026-11-22T00:50:03Z level=info what=GET where=/a?b code=404 took=2ms agent="c"',
  ]],
  ["text with these fields", ["2026-11-22 00:50:02,123 INFO 10.0.0.1 GET /a?b 200 5"]],
  [
    "JSON with the members when, who, what, where, http.code",
    JSON_LINES.map((line) => `2026-11-22T00:50:02.123456789Z stdout F ${line}`),
  ],
  [
    "JSON with the members when, who, what, where, http.code",
    JSON_LINES.map((line) => `${JSON.stringify({ log: `${line}\n`, stream: "stdout" })}`),
  ],
  [
    "JSON with the members when, who, what, where, http.code",
    JSON_LINES.map((line) =>
      `2026-11-22T00:50:02+00:00 {app="web"} ${line.replaceAll('":', '": ')}`
    ),
  ],
  ["text with these fields", ['10.0.0.1 -  22/Nov/2026:00:50:02 +0000 "GET /a?b" 200']],
  ["text with these fields", [
    '[2026-11-22T00:50:02Z INFO  actix_web::middleware] 10.0.0.1 "GET /a?b HTTP/1.1" 200 5',
    '[2026-11-22T00:50:02Z WARN  actix_web::middleware] 10.0.0.1 "GET /a?b HTTP/1.1" 404 5',
  ]],
  ["text with these fields", [
    '[22/Nov/2026:00:50:02 +0000] 10.0.0.1 - 30 "-" "GET https://a.example/a?b" 200 191 "curl"',
  ]],
];

function formatsOf([name, value]: NonNullable<FormatGuess["option"]>): readonly LogFormat[] {
  return name === "--json" ? resolveJson(value) : resolveFormats(value);
}

for (const [looksLike, lines] of SAMPLES) {
  Deno.test(`guessFormat recognizes ${looksLike}: ${lines[0].slice(0, 30)}`, () => {
    const log = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
    assertEquals(detectFormat(log), undefined);
    const guess = guessFormat(log)!;
    assertEquals(guess.looksLike, looksLike);
    const profile = readLines(log, detectFormat(log, formatsOf(guess.option!))!);
    assertEquals([profile.requests, profile.withQuery], [lines.length, lines.length]);
    assertEquals(profile.top(1)[0].route, "/a");
  });
}

const LOGS = new URL("../../../../testdata/logs/", import.meta.url);

/** Sample logs whose layout changes within the log, or whose errors repeat requests. */
const OTHERS = /\/(?:iis|caddy-errors)\.log$/;

/** Paths of the other sample logs. */
function* sampleLogs(): Generator<URL> {
  for (const folder of ["samples/", "samples/servers/", "formats/", "formats/sent/", "cases/"]) {
    for (const { name } of Deno.readDirSync(new URL(folder, LOGS))) {
      const path = new URL(folder + name, LOGS);
      if (name.endsWith(".log") && !OTHERS.test(path.pathname)) yield path;
    }
  }
}

/** Lists times in seconds, methods and paths of the requests in a log. */
function requestsIn(log: Uint8Array, format: LogFormat | undefined): string[] {
  return format === undefined ? [] : readRequests(log, format)
    .map(({ ms, request }) => `${Math.floor(ms / 1_000)} ${request.replace(/\?.*/s, "")}`);
}

/** Parses a word in single quotes, as a shell does. */
function unquote(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word;
}

Deno.test("every option that guessFormat suggests for a sample log reads its requests when pasted", () => {
  const suggested: string[] = [];
  for (const path of sampleLogs()) {
    const log = Deno.readFileSync(path);
    const option = guessFormat(log)?.option;
    if (option === undefined) continue;
    const pasted = unquote(safeText(shellWord(option[1])));
    const found = requestsIn(log, detectFormat(log, formatsOf([option[0], pasted])));
    const known = requestsIn(log, detectFormat(log));
    const file = path.pathname.slice(LOGS.pathname.length);
    assertNotEquals(found, [], file);
    if (known.length > 0) assertEquals(found, known, file);
    suggested.push(file);
  }
  assertGreater(suggested.length, 80);
});

Deno.test("guessFormat does not mistake a size for a status", () => {
  const json = ['{"t":"2026-11-22T00:50:02Z","u":"/a","m":"GET","size":200,"status":304}'];
  const text = ["1795255200 GET /a 200", "1795255201 GET /a 5000", ""];
  for (const [lines, expected] of [[json, "status=status"], [text, "$request_uri $_"]] as const) {
    const { option } = guessFormat(new TextEncoder().encode(lines.join("\n")))!;
    assertEquals(option![1].endsWith(expected), true, option![1]);
  }
});

Deno.test("guessFormat returns the command that decodes a compressed or encoded file", () => {
  const guess = (...bytes: number[]) => guessFormat(Uint8Array.from([...bytes, 0, 0, 0, 0, 0]));
  assertEquals(guess(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)?.filter, "xz -dc");
  assertEquals(guess(0x42, 0x5a, 0x68, 0x39)?.looksLike, "a bzip2 file");
  assertEquals(guess(0x50, 0x4b, 3, 4)?.looksLike, "a zip file");
  assertEquals(guess(0xff, 0xfe, 0x31, 0)?.looksLike, "UTF-16 text");
});

Deno.test("guessFormat does not suggest a format for text that is not a log", () => {
  for (const text of ["", "\n", "buy milk\n", "[error] 12: it failed\n", "\0\0", "{", "a=1"]) {
    assertEquals(guessFormat(new TextEncoder().encode(text))?.option, undefined, text);
  }
});

const AZURE =
  '{"timeStamp":"2026-11-22T00:50:02+00:00","resourceId":"/SUBSCRIPTIONS/1","properties":{' +
  '"clientIP":"10.0.0.1","httpMethod":"GET","requestUri":"/a","requestQuery":"b=1","userAgent":"curl",' +
  '"httpStatus":200,"host":"shop.example","timeTaken":0.012}}';

Deno.test("guessJson prefers members whose names suit their values, also nested ones", () => {
  const log = new TextEncoder().encode(`${AZURE}\n`);
  const format = guessJson(log)!;
  assertEquals(
    format.definition,
    "method=properties.httpMethod,path=properties.requestUri,time=timeStamp,client=properties.clientIP," +
      "status=properties.httpStatus,query=properties.requestQuery,host=properties.host," +
      "agent=properties.userAgent",
  );
  const profile = readLines(log, format);
  assertEquals([profile.requests, profile.withQuery], [1, 1]);
});

Deno.test("guessJson finds the requests among other events", () => {
  const events = Array.from(
    { length: 9 },
    (_, i) => `{"at":"2026-11-22T00:50:0${i}Z","event":"job ${i}"}`,
  );
  const log = new TextEncoder().encode([...events, ...JSON_LINES].join("\n"));
  assertEquals(readLines(log, guessJson(log)!).requests, 2);
});

for (
  const [what, line] of [
    ["decisions of an ACL", { method: "DELETE", resource: "/reports/q", decision: "deny" }],
    ["arguments of jobs", { status: "done", args: { method: "GET", url: "https://a.example/x" } }],
    ["registered routes", { msg: "route registered", op: "GET", route: "/users/:id" }],
    ["a list of a linter", { path: "/shop", method: "GET", summary: "x" }],
  ] as const
) {
  Deno.test(`guessJson does not read ${what}, which have no status`, () => {
    assertEquals(guessJson(logOf([line, line])), undefined);
  });
}

Deno.test("guessJson does not read JSON in which only some of the requests have a status", () => {
  const request = { method: "GET", path: "/shop" };
  assertEquals(guessJson(logOf([request, { ...request, status: 200 }])), undefined);
});

Deno.test("guessJson reads requests without a status if they have a protocol", () => {
  const line = { req_line: "GET /a HTTP/1.1" };
  assertEquals(guessJson(logOf([line, line]))?.definition, "request=req_line,time=at");
});

for (
  const [line, expected] of [
    [{ op: "GET", page: "/a", rc: 200 }, "method=op,url=page,time=at,status=rc"],
    [
      {
        upstream_method: "POST",
        upstream_url: "http://b.example/",
        op: "GET",
        page: "/a",
        rc: 200,
      },
      "method=op,url=page,time=at,status=rc",
    ],
    [
      {
        referrer_url: "https://b.example/",
        method: "GET",
        request_url: "/b",
        url: "/a",
        status: 200,
      },
      "method=method,url=url,time=at,status=status",
    ],
    [
      { redirect_url: "/login", method: "GET", page: "/a", area_code: 415, rc: 302 },
      "method=method,url=page,time=at,status=rc",
    ],
    [
      { backendUrl: "/b", backendCode: 500, method: "GET", page: "/a", bytes_code: 404, code: 200 },
      "method=method,url=page,time=at,status=code",
    ],
    [
      { start_date: "2020-01-01T00:00:00Z", method: "GET", path: "/a", status: 200 },
      "method=method,url=path,time=at,status=status",
    ],
  ] as const
) {
  Deno.test(`guessJson chooses members that describe the request: ${Object.keys(line)}`, () => {
    assertEquals(guessJson(logOf([line, line]))?.definition, expected);
  });
}

/** Returns a log with the given JSON lines, one per second. */
function logOf(lines: readonly object[]): Uint8Array<ArrayBuffer> {
  const timed = lines.map((line, i) => ({ ...line, at: `2026-11-22T00:50:0${i}Z` }));
  return new TextEncoder().encode(timed.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

Deno.test("convert reads JSON in an unknown format, and prints the members that it recognized", async () => {
  using folder = new CliFolder();
  for (const name of ["a.log", "a.ndjson"]) {
    const path = `${folder.path}/${name}`;
    await Deno.writeTextFile(path, JSON_LINES.join("\n"));
    const { code, stdout, stderr } = await runCli(["convert", path]);
    assertEquals(code, 0);
    const [, fields] = /warning\[guessed-format\].*`--json '([^']*)'`/.exec(stderr)!;
    assertEquals((await runCli(["convert", path, "--json", fields])).stdout, stdout);
    assertStringIncludes(stdout, "url: /a\n");
  }
  const path = `${folder.path}/note.txt`;
  await Deno.writeTextFile(path, "buy milk\n");
  const { stderr } = await runCli(["convert", path]);
  assertStringIncludes(
    stderr,
    "--log-format FORMAT`, where FORMAT is nginx's `log_format`, Apache's",
  );
  await Deno.writeTextFile(path, "#Fields: time c-ip cs-uri\n10:00:00 10.0.0.1 /a\n");
  assertStringIncludes(
    (await runCli(["convert", path, "--from", "accesslog"])).stderr,
    "it looks like a W3C log whose `#Fields:` line lacks date, cs-method: add them to the fields",
  );
  await Deno.writeTextFile(path, '{"at":"2026-11-22T00:50:02Z","route":"GET /a","code":200}\n');
  assertStringIncludes(
    (await runCli(["convert", path, "--from", "accesslog"])).stderr,
    "--json FIELDS`, where FIELDS names the members, such as time=ts,method=",
  );
});

for (
  const [what, text, filter] of [
    ["on one line", `[${JSON_LINES.join(",")}]`, "jq -c '.[]'"],
    [
      "over several lines",
      JSON.stringify(JSON_LINES.map((line) => JSON.parse(line)), null, 2),
      "jq -c '.[]'",
    ],
    ["in an object", `{"records":[${JSON_LINES.join(",")}]}`, "jq -c '.records[]'"],
    ["in an object over several lines", `{\n "records": [\n  {\n`, "jq -c '.records[]'"],
    ["that is cut off", `[{"a": "${"x".repeat(70_000)}`, "jq -c '.[]'"],
  ]
) {
  Deno.test(`findContainer returns the command that splits a list of JSON objects ${what}`, () => {
    assertEquals(findContainer(new TextEncoder().encode(text))?.filter, filter);
  });
}

Deno.test("a list with one JSON object per line is read, with its first element", () => {
  for (const text of [`[${JSON_LINES.join(",\n")}]`, `[\n${JSON_LINES.join(",\n")}\n]\n`]) {
    const log = new TextEncoder().encode(text);
    assertEquals(findContainer(log), undefined);
    assertEquals(readLines(log, resolveJson("time=when,method=what,url=where")[0]).requests, 2);
  }
  const members = new TextEncoder().encode('{"tags":[{"a":1}],"time":1}\n');
  assertEquals(findContainer(members), undefined);
});

for (
  const path of [
    ...["log", "message", "@message", "MESSAGE", "line", "textPayload", "_raw"],
    ...["result._raw", "_source.message"],
  ]
) {
  Deno.test(`the member ${path} of a JSON object can contain the log line`, () => {
    const line = '10.0.0.1 - - [22/Nov/2026:00:50:02 +0000] "GET /a HTTP/1.1" 200 1 "-" "curl"';
    const member = path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), line);
    const log = new TextEncoder().encode(JSON.stringify({ level: {}, ...member as object, at: 1 }));
    assertEquals(readLines(log, detectFormat(log)!).requests, 1);
  });
}

Deno.test("guessFormat describes the fields of LTSV", () => {
  const log = new TextEncoder().encode(
    "time:[22/Nov/2026:00:50:02 +0000]\thost:10.0.0.1\treq:GET /a HTTP/1.1\tstatus:200\n",
  );
  const { option } = guessFormat(log)!;
  assertEquals(readLines(log, detectFormat(log, formatsOf(option!))!).requests, 1);
});

/**
 * Slow reference implementation: counts the matching lines of every format, and returns the best
 * format.
 */
function detectSlowly(head: Uint8Array): LogFormat | undefined {
  const { bytes, lines } = firstLines(head, 100);
  const view = new DataView(bytes.buffer);
  const request = new LogRequest();
  const scored = FORMATS.map((format) => {
    const reader = new RequestReader(format, request);
    let fields = 0;
    const found = lines.filter(({ start, end }) => {
      if (reader.read(bytes, view, start, end) !== undefined) return false;
      fields += Number(request.status > 0) + Number(request.has("client"));
      return true;
    });
    return { format, requests: found.length, fields };
  });
  const [best] = scored.toSorted((a, b) => b.requests - a.requests || b.fields - a.fields);
  return best.requests > 0 ? best.format : undefined;
}

const samples = Object.values(FORMAT_SAMPLES);
const { combined, common, vhost_combined: vhost } = FORMAT_SAMPLES;
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(combined, common, vhost) },
  { weight: 3, arbitrary: fc.constantFrom(...samples) },
  { weight: 1, arbitrary: fc.constantFrom("", "\r", " ", "no request", "#Fields: date time c-ip") },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...samples), fc.nat(300))
      .map(([sample, length]) => sample.slice(0, length)),
  },
);

const lines = fc.oneof(
  fc.tuple(fc.array(line, { maxLength: 8 }), fc.array(line, { maxLength: 3 }))
    .map(([often, once]) => [...often, ...often, ...once]),
  fc.tuple(fc.constantFrom(...samples), fc.integer({ min: 1, max: 5 }))
    .map(([sample, count]) => Array<string>(count).fill(sample)),
);

Deno.test("detectFormat returns the same format as a slow search that counts the matches of every format", () => {
  fc.assert(
    fc.property(lines, (lines) => {
      const log = new TextEncoder().encode(lines.join("\n"));
      assertEquals(detectFormat(log, undefined, true), detectSlowly(log));
    }),
    COSTLY,
  );
});

Deno.test("detectFormat tests the last line of a whole log even if it does not end with a line feed", () => {
  const log = (...lines: string[]) => new TextEncoder().encode(lines.join("\n"));
  const sample = combined;
  const format = detectFormat(log(FORMAT_SAMPLES.gcp, sample, sample), undefined, true);
  assertEquals(format?.name, "combined");
  const two = log("a line of text", sample);
  assertEquals(detectFormat(two, undefined, true)?.name, "combined");
  assertEquals(detectFormat(two), undefined);
});

function clients(log: string, client: string, format?: string): (string | undefined)[] {
  const bytes = new TextEncoder().encode(log);
  const found = format === undefined
    ? withClient(detectFormat(bytes, undefined, true)!, client)
    : detectFormat(bytes, resolveFormats(format, client), true)!;
  return readRequests(bytes, found).map(({ client }) => client);
}

Deno.test("the client is read from the format string variable selected with --client", () => {
  const log =
    '10.0.0.1 [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 "203.0.113.7, 10.9.9.9" ' +
    '"user-7" "198.51.100.2"\n';
  const nginx = '$remote_addr [$time_local] "$request" $status "$http_fastly_client_ip" ' +
    '"$cookie_session" "$http_x_forwarded_for"';
  assertEquals(clients(log, "$http_fastly_client_ip", nginx), ["203.0.113.7"]);
  assertEquals(clients(log, "cookie_session", nginx), ["user-7"]);
  assertEquals(clients(log, "remote_addr", nginx), ["10.0.0.1"]);
  const apache = '%h %t "%r" %s "%{Fastly-Client-IP}i" "%{session}C" "%{X-Forwarded-For}i"';
  assertEquals(clients(log, "Fastly-Client-IP", apache), ["203.0.113.7"]);
  assertEquals(clients(log, "%{fastly-client-ip}i", apache), ["203.0.113.7"]);
  assertEquals(clients(log, "h", apache), ["10.0.0.1"]);
  assertThrows(() => resolveFormats(nginx, "http_x"), UsageError, "no such field");
});

Deno.test("the client is read from the JSON member, logfmt key or W3C column selected with --client", () => {
  const json = '{"ts":1795255200.5,"request":{"remote_ip":"10.0.0.1","client_ip":"10.0.0.2",' +
    '"method":"GET","uri":"/a","headers":{"Fastly-Client-Ip":["203.0.113.7"]}},"status":200}\n';
  assertEquals(clients(json, "request.headers.Fastly-Client-Ip"), ["203.0.113.7"]);
  const logfmt = "time=2026-11-21T10:00:00Z method=GET path=/a status=200 fwd=10.0.0.1 user=u7\n";
  assertEquals(clients(logfmt, "user"), ["u7"]);
  const w3c = "#Fields: date time cs-method cs-uri-stem c-ip sc-status X-Forwarded-For\n" +
    "2026-11-21 10:00:00 GET /a 10.0.0.1 200 203.0.113.7\n" +
    "2026-11-21 10:00:00 GET /a 10.0.0.1 200 -\n";
  assertEquals(clients(w3c, "X-Forwarded-For"), ["203.0.113.7", "10.0.0.1"]);
  assertThrows(
    () => clients('1.2.3.4 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n', "x"),
    UsageError,
    "no field names",
  );
});

function readJson(line: unknown, option: string) {
  const log = new TextEncoder().encode(JSON.stringify(line));
  return readRequests(log, detectFormat(log, resolveJson(option))!);
}

Deno.test("--json reads nested members in any order, and timestamps in any notation", () => {
  const expected = [{
    ms: 1_795_255_200_000,
    request: "GET /a?b",
    status: 200,
    took: 5,
    client: "10.0.0.1",
  }];
  const option =
    "client=net.ip, time=meta.at, url=req.url, method=req.verb, status=code, milliseconds=t";
  for (const at of ["2026-11-21T10:00:00Z", 1_795_255_200, "21/Nov/2026:10:00:00 +0000"]) {
    const line = {
      t: 5,
      code: "200",
      req: { url: "/a?b", verb: "GET" },
      net: { ip: "10.0.0.1" },
      meta: { at },
    };
    assertEquals(readJson(line, option), expected);
  }
});

Deno.test("--json rejects a value without a time or a request, and unknown names", () => {
  for (
    const text of ["time=t", "method=m,url=u", "time=t,method=m", "tim=t,request=r", "time", ""]
  ) {
    assertThrows(() => resolveJson(text), UsageError, "--json cannot be used");
  }
  assertThrows(() => resolveJson("tim=t,request=r"), UsageError, 'did you mean "time"');
});
