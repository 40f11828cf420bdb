import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../../src/base/errors.ts";
import { resolveFormats } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { parseGoLayout } from "../../../../src/traffic/accesslog/formats/server_patterns.ts";
import { readAs } from "../../../support/read_requests.ts";

Deno.test("parseGoLayout converts the layouts of Go's time package to strftime", () => {
  for (
    const [go, strftime] of [
      ["2006-01-02T15:04:05Z07:00", "%Y-%m-%dT%H:%M:%S%z"],
      ["2006/01/02 15:04:05.000", "%Y/%m/%d %H:%M:%S.%f"],
      ["02/Jan/2006:15:04:05 -0700", "%d/%b/%Y:%H:%M:%S %z"],
      ["Mon Jan _2 15:04:05 MST 2006", "%a %b %e %H:%M:%S %Z %Y"],
      ["Monday, 02-Jan-06 03:04:05,999 PM", "%A, %d-%b-%y %I:%M:%S,%f %p"],
    ]
  ) assertEquals(parseGoLayout(go), strftime);
  for (const text of ["%Y-%m-%d", "sec", "1/2/2006 15:04:05", "2006-002", "15:04:05"]) {
    assertEquals(parseGoLayout(text), undefined, text);
  }
});

Deno.test("--log-format reads timestamps with a Go layout or an strftime layout in any format string", () => {
  const expected = [{ ms: Date.UTC(2026, 10, 22, 0, 50, 2), request: "GET /a", status: 200 }];
  for (
    const [layout, time] of [
      ["2006/01/02 - 15:04:05", "2026/11/22 - 00:50:02"],
      ["02.01.2006 15:04:05 -07:00", "22.11.2026 02:50:02 +02:00"],
      ["Jan _2, 2006 at 3:04:05pm (MST)", "Nov 22, 2026 at 12:50:02am (UTC)"],
      ["%d.%m.%Y %H:%M:%S", "22.11.2026 00:50:02"],
    ]
  ) {
    assertEquals(readAs(`[${time}] GET /a 200`, `[%{${layout}}t] %m %U %>s`), expected, layout);
    assertEquals(
      readAs(`[${time}] GET /a 200`, `[%{${layout}}t] $request_method $uri $status`),
      expected,
      layout,
    );
  }
  // The layout takes precedence over a variable that also contains a time.
  assertEquals(
    readAs(
      "7 22.11.2026 00:50:02 GET /a 200",
      "$msec %{%d.%m.%Y %T}t $request_method $uri $status",
    ),
    expected,
  );
  assertThrows(() => resolveFormats("%{1/2/2006}t %r %s"), UsageError, "the time");
  assertThrows(() => resolveFormats("%{%G}t $request"), UsageError, "%G");
});
