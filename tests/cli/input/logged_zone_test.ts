import { assertEquals } from "@std/assert";
import { loggedZone } from "../../../src/cli/input/log_head.ts";
import { COMBINED, resolveFormats } from "../../../src/traffic/accesslog/formats/formats.ts";

const text = (line: string) => new TextEncoder().encode(`not a request\n${line}\n${line}\n`);
const combined = (zone: string) =>
  text(`10.0.0.1 - - [21/Nov/2026:10:00:00 ${zone}] "GET / HTTP/1.1" 200 1 "-" "-"`);

Deno.test("loggedZone returns the time zone of the first timestamp of a log", () => {
  assertEquals(loggedZone(combined("+0200"), COMBINED), "+02:00");
  assertEquals(loggedZone(combined("-0330"), COMBINED), "-03:30");
  assertEquals(loggedZone(combined("+0000"), COMBINED), "UTC");
  const [iso] = resolveFormats("$time_iso8601 $request_method $uri");
  assertEquals(loggedZone(text("2026-11-21T10:00:00Z GET /"), iso), "UTC");
  assertEquals(loggedZone(text("2026-11-21T10:00:00+05:30 GET /"), iso), "+05:30");
});

Deno.test("loggedZone returns UTC if the log has no zone or no request", () => {
  const [format] = resolveFormats("$time_iso8601 $request_method $uri");
  assertEquals(loggedZone(text("2026-11-21T10:00:00 GET /"), format), "UTC");
  assertEquals(
    loggedZone(text("1795255200 GET /"), resolveFormats("$msec $request_method $uri")[0]),
    "UTC",
  );
  assertEquals(loggedZone(text("no log at all"), COMBINED), "UTC");
  assertEquals(loggedZone(new Uint8Array(), COMBINED), "UTC");
});
