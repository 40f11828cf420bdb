import { assertEquals, assertStringIncludes } from "@std/assert";
import { Histogram } from "../../../src/base/histogram.ts";
import type { EndpointData, TickDetails } from "../../../src/engine/metrics/snapshot.ts";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import { liveSections } from "../../../src/report/html/live_page.ts";
import { printHtml } from "../../../src/report/html/print_html.ts";

const HOSTILE = "<img src=x onerror=alert(1)>\u202e";
const IN = { scenario: "browse", group: "" };

function endpoint(name: string, changes: Partial<EndpointData> = {}): EndpointData {
  const histogram = new Histogram();
  for (let ms = 1; ms <= 100; ms++) histogram.record(1_000 * ms);
  const counts = { count: 100, failed: 0, bytes_sent: 0, bytes_received: 0, statuses: {} };
  return { ...IN, name, method: "GET", ...counts, histogram: histogram.data(), ...changes };
}

function details(changes: Partial<TickDetails>): TickDetails {
  const none = { checks: [], endpoints: [], errors: [], failures: [], groups: [], scenarios: [] };
  return { ...none, ...changes };
}

function render(now: TickDetails, before?: TickDetails): string {
  return printHtml(liveSections(now, before)).text;
}

/** Returns the cells of each row of the table with the given caption. */
function rows(now: TickDetails, caption: string, before?: TickDetails): string[][] {
  const page = parseHtml(render(now, before));
  const names = [...selectCss(`[aria-label="${caption}"] tbody th code`, undefined, page)];
  return names.map((name, i) => [
    name,
    ...selectCss(`[aria-label="${caption}"] tbody tr:nth-child(${i + 1}) td`, undefined, page),
  ]);
}

Deno.test("liveSections lists endpoints with failures first, then those with the most requests", () => {
  const endpoints = [
    endpoint("a"),
    endpoint("b", { count: 300 }),
    endpoint("c", { count: 98, unsent: 2, failed: 50 }),
  ];
  const before = details({
    endpoints: [endpoint("a", { count: 90 }), endpoint("c", { count: 98, failed: 50 })],
  });
  assertEquals(rows(details({ endpoints }), "Endpoints", before), [
    ["c", "2/s", "100", "50.00%", "50ms", "95ms"],
    ["b", "300/s", "300", "0.00%", "50ms", "95ms"],
    ["a", "10/s", "100", "0.00%", "50ms", "95ms"],
  ]);
});

Deno.test("liveSections omits percentiles for an endpoint whose requests were not sent", () => {
  const none = { count: 0, unsent: 4, failed: 4, histogram: new Histogram().data() };
  assertEquals(rows(details({ endpoints: [endpoint("a", none)] }), "Endpoints"), [
    ["a", "4/s", "4", "100.00%", "–", "–"],
  ]);
});

Deno.test("liveSections lists the most frequent failures and the failed checks first", () => {
  const failure = { ...IN, name: "a", method: "GET" };
  const found = details({
    endpoints: [endpoint("a")],
    checks: [
      { ...IN, name: "fine", request: "a", passes: 9, fails: 0 },
      { ...IN, name: "title", request: "b", passes: 3, fails: 2 },
    ],
    failures: [
      { ...failure, status: 500, count: 2 },
      { ...failure, status: 0, kind: "timeout", message: "no response within 5s", count: 7 },
      { ...failure, status: 200, kind: "assert", message: "no title", count: 3 },
    ],
  });
  assertEquals(rows(found, "Failures"), [
    ["a", "none", "timeout", "7", "7.00%", "no response within 5s"],
    ["a", "200", "assert", "3", "3.00%", "no title"],
    ["a", "500", "status", "2", "2.00%", ""],
  ]);
  const checks = selectCss('[aria-label="Checks"] tbody td', undefined, parseHtml(render(found)));
  assertEquals([...checks].join(), "b,browse,3,2,60.00%,a,browse,9,0,100.00%");
});

Deno.test("liveSections shows at most 20 rows and states how many it omits", () => {
  const endpoints = Array.from({ length: 300 }, (_, i) => endpoint(`${i}`, { count: i }));
  const text = render(details({ endpoints }));
  assertEquals(text.match(/<tr><th scope="row"/g)?.length, 20);
  assertStringIncludes(text, "280 more endpoints will be shown after the run.");
  const [first] = rows(details({ endpoints }), "Endpoints");
  assertEquals(first[0], "299");
});

Deno.test("liveSections escapes recorded text and omits empty tables", () => {
  const text = render(
    details({
      endpoints: [endpoint(HOSTILE, { scenario: HOSTILE, group: `::${HOSTILE}` })],
      checks: [{ ...IN, name: HOSTILE, request: HOSTILE, passes: 0, fails: 1 }],
      failures: [{ ...IN, name: HOSTILE, method: "GET", status: 0, message: HOSTILE, count: 1 }],
    }),
  );
  assertEquals(/<img|\u202e/.test(text), false);
  assertEquals(render(details({})), "");
});
