import { assertEquals } from "@std/assert";
import { detectFormat, resolveFormats } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { assertCounterMatchesReader } from "../../../support/both_readers.ts";
import { readRequests } from "../../../support/read_requests.ts";

const FOLDER = new URL("../../../../testdata/logs/cases/", import.meta.url);
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
    const log = Deno.readFileSync(new URL(`${file}.log`, FOLDER));
    const format = detectFormat(log, option === undefined ? undefined : resolveFormats(option));
    const found = format === undefined ? [] : readRequests(log, format);
    assertEquals(
      found.map(({ request, status, took }) => [request, status, took].join(" ").trim()),
      requests,
    );
    await assertCounterMatchesReader(log, format!);
  });
}
