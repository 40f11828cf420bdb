import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../../src/base/errors.ts";
import { resolveFormats } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { parseGoLayout } from "../../../../src/traffic/accesslog/formats/server_patterns.ts";
import { readAs } from "../../../support/read_requests.ts";

Deno.test("an nginx variable that is not in braces ends before a closing brace", () => {
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

Deno.test("--log-format ignores the fields of a line that follow the last variable of the format", () => {
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

Deno.test("--log-format reads the first request of a format", () => {
  const line = '1795255200 "GET /a HTTP/1.1" - 200';
  assertEquals(readAs(line, '%{sec}t "%r" %{attribute}r %s'), [
    { ms: Date.UTC(2026, 10, 21, 10), request: "GET /a", status: 200 },
  ]);
});

Deno.test("several spaces in a format string match any number of spaces, and `\\t` matches a tab", () => {
  const expected = [1, 2].map((second) => ({
    ms: (1_795_255_200 + second) * 1_000,
    request: "GET /a",
    status: 200,
  }));
  const log = "1795255201    9 GET /a 200\n1795255202 10000 GET /a 200\n";
  assertEquals(readAs(log, "$msec   $_1 $request_method $request_uri $status"), expected);
  assertEquals(readAs(log, "%{sec}t   %x %m %U %s"), expected);
  const tabs = log.replaceAll(/ +/g, "\t");
  assertEquals(readAs(tabs, "$msec\\t$_1\\t$request_method\\t$request_uri\\t$status"), expected);
});

Deno.test("--log-format joins the strings of a format that has several lines", () => {
  const expected = [{ ms: Date.UTC(2026, 10, 21, 10), request: "GET /a", status: 200 }];
  const strings = `'$msec "$request_method '\n    "$request_uri\\"" ' $status'`;
  for (const text of [strings, `\n${strings}\n`, `${strings};`, `escape=none\n${strings};`]) {
    assertEquals(readAs('1795255200 "GET /a" 200', text), expected, text);
  }
  const quoted = '"$msec" "$request_method" "$uri" "$status"';
  assertEquals(readAs('"1795255200" "GET" "/a" "200"', quoted), expected);
});

Deno.test("the last field of a format string ends at the next delimiter", () => {
  const lines = { "\t": "1795255200\tGET\t/a b\tc", "|": "1795255200|GET|/a b|c" };
  for (const [delimiter, line] of Object.entries(lines)) {
    const format = ["$msec", "$request_method", "$uri"].join(delimiter);
    assertEquals(readAs(line, format).map(({ request }) => request), ["GET /a b"]);
  }
});

Deno.test("--log-format reads timestamps with milliseconds and timestamps without a zone", () => {
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

Deno.test("--log-format reads Apache timestamps with strftime layouts and fractions of a second", () => {
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

Deno.test("--log-format supports Apache's keywords for timestamps and durations", () => {
  const read = (format: string, line: string) => readAs(line, format)[0];
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

Deno.test("a Unix time after the year 9999 is rejected in every notation", () => {
  for (const digits of [24, 40, 90]) {
    const time = "9".repeat(digits);
    for (const format of ["$msec $request_method $uri $status", "%{at %s}t %m %U %>s"]) {
      const line = `${format.startsWith("$") ? "" : "at "}${time} GET /a 200`;
      assertEquals(readAs(`${line}\n`, format), [], line);
    }
  }
});

Deno.test("a duration of more than a day is ignored", () => {
  const format = "$msec $request_method $uri $status $request_time";
  const took = (duration: string) => readAs(`1795255200 GET /a 200 ${duration}\n`, format)[0].took;
  assertEquals(took("86400"), 86_400_000);
  for (const duration of ["86400.1", "1e999", "9".repeat(40)]) {
    assertEquals(took(duration), undefined, duration);
  }
});

Deno.test("a unit after a duration field in a format string applies to the values of this field", () => {
  const took = (line: string, format: string) =>
    readAs(`1795255200 GET /a 200 ${line}`, `$msec $request_method $uri $status ${format}`)
      .map((request) => Object(request).took);
  for (
    const [value, format, ms] of [
      ["60ms", "${request_time}ms", 60],
      ["60 ms x", "$request_time ms $tail", 60],
      ["2.5s", "${request_time}s", 2_500],
      ["60us|", "${request_time}us|", 0.06],
      ["60\u00b5s", "${request_time}\u00b5s", 0.06],
      ["60ns", "${request_time}ns", 60e-6],
      ["2min", "${request_time}min", 120_000],
      ["0.060 ms=7", "$request_time ms=$n", 60],
      ["0.060 more", "$request_time more", 60],
      ["0.060", "$request_time", 60],
    ] as const
  ) assertEquals(took(value, format), [ms], format);
  const apache = (value: string, format: string) =>
    readAs(`1795255200 GET /a 200 ${value}`, `%{sec}t %m %U %s ${format}`)
      .map((request) => Object(request).took);
  assertEquals(apache("60ms", "%{ms}Tms"), [60]);
  assertEquals(apache("60ms", "%Dms"), [60]);
  assertEquals(apache("60000", "%D"), [60]);
});

Deno.test("--log-format refuses an unknown unit after a duration", () => {
  const error = assertThrows(
    () => resolveFormats("$msec $request ${request_time}ticks"),
    UsageError,
  );
  assertEquals(
    error.message,
    "--log-format cannot have ticks after the duration: expected a unit (ms, s, us, ns, min), or text " +
      "that does not start with a letter or a digit",
  );
});

Deno.test("--log-format refuses a time without a date or without a time of day", () => {
  for (const format of ['%h %{%Y}t "%r"', '%{%H:%M:%S}t $remote_addr "$request"']) {
    assertThrows(
      () => resolveFormats(format),
      UsageError,
      "alone: expected a date and a time, such as %{%Y-%m-%d %H:%M:%S}t",
    );
  }
});

Deno.test("a format string lists the variables that are not used", () => {
  const unused = (format: string) => resolveFormats(format)[0].unusedNames;
  assertEquals(
    unused('$remote_addr - $remote_user [$time_local] "$request" $status ${request_tme}'),
    ["$remote_user", '$request_tme (did you mean "request_time"?)'],
  );
  assertEquals(unused('%h %l %u %t "%r" %>s %b "%{Foo}i"'), ["%l", "%u", "%{Foo}i"]);
  assertEquals(unused("$msec $request $status"), []);
});

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
