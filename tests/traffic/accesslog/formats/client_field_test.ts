import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../../src/base/errors.ts";
import {
  detectFormat,
  resolveFormats,
  withClient,
} from "../../../../src/traffic/accesslog/formats/formats.ts";
import { readRequests } from "../../../support/read_requests.ts";

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
