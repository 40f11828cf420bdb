import { assertEquals } from "@std/assert";
import { COMBINED, detectFormat } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { readLines } from "../../../support/read_lines.ts";
import { readAs } from "../../../support/read_requests.ts";

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
