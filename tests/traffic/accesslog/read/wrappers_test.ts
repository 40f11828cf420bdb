import { assertEquals } from "@std/assert";
import { detectFormat } from "../../../../src/traffic/accesslog/formats/formats.ts";
import type { LogRequest } from "../../../../src/traffic/accesslog/read/log_request.ts";
import { readLines } from "../../../support/read_lines.ts";
import { readAs } from "../../../support/read_requests.ts";

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

const clf = (client: string, rest = "") =>
  `${client} - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "M"${rest}`;

Deno.test("readLines reads lines with and without a prefix in the same log", () => {
  const lines = [`web-1 nginx ${clf("10.0.0.1")}`, `web-1 nginx ${clf("-")}`, clf("10.0.0.2")];
  assertEquals(readAs(lines.join("\n")).map(({ client }) => client), [
    "10.0.0.1",
    "web-1",
    "10.0.0.2",
  ]);
});
