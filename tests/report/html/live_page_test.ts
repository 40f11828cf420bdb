import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Histogram } from "../../../src/base/histogram.ts";
import type { EndpointData, TickDetails } from "../../../src/engine/metrics/snapshot.ts";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import {
  endEvent,
  eventText,
  livePage,
  liveSections,
  stateEvent,
} from "../../../src/report/html/live_page.ts";
import { printHtml } from "../../../src/report/html/print_html.ts";
import { reviewPage } from "../../../src/report/html/review_page.ts";
import { addPoint, type SecondPoint } from "../../../src/report/html/series.ts";
import { type Review, reviewText } from "../../../src/report/text/review.ts";
import { progressAt, scenarioProgress } from "../../builders/progress.ts";
import { exampleReview } from "../../builders/review.ts";
import { BUSY } from "../../builders/summary.ts";

const HOSTILE = `</script></style>--><script>alert(1)</script><img src=x onerror="alert(1)">'\n\n`;

Deno.test("addPoint keeps the timeline of a whole day in at most 600 points", () => {
  let points: readonly SecondPoint[] = [];
  for (let at = 1; at <= 86_400; at++) {
    const vus = at === 10_000 ? 500 : 3;
    points = addPoint(points, { ...BUSY.timeline[0], at, vus, requests: 40 });
    assert(points.length <= 600);
  }
  assertEquals(points.at(-1)!.at, 86_400);
  assert(points.every(({ at }, i) => i === 0 || at > points[i - 1].at));
  assertEquals(Math.max(...points.map(({ vus }) => vus)), 500);
  assertEquals(new Set(points.map(({ requests }) => requests)), new Set([40]));
});

Deno.test("stateEvent and endEvent escape hostile text in every part of the page", () => {
  const progress = progressAt(12_000, {
    scenarios: [scenarioProgress(HOSTILE)],
    thresholds: [{ ...BUSY.thresholds[0], metric: HOSTILE, expression: HOSTILE }],
  });
  const endpoints = BUSY.endpoints.map((endpoint) => ({ ...endpoint, name: HOSTILE }));
  const errors = BUSY.errors.map((error) => ({ ...error, message: HOSTILE }));
  const events = [
    stateEvent({ name: HOSTILE, progress, note: HOSTILE }, BUSY.timeline),
    endEvent({ ...BUSY, name: HOSTILE, endpoints, errors }),
  ];
  for (const event of events) {
    const page = parseHtml(Object.values(event.parts).join(""));
    assertEquals([...selectCss("script, img, style", undefined, page)], []);
    assertStringIncludes(event.parts.head, "&lt;/script&gt;");
    const lines = eventText(event).split("\n");
    assertEquals([lines.length, lines[2], lines[3]], [4, "", ""]);
  }
});

Deno.test("stateEvent contains the exact metrics of the run", () => {
  const progress = progressAt(12_000);
  const { parts, drawn } = stateEvent({ name: "demo shop", progress, note: "" }, BUSY.timeline);
  const values = (part: string) =>
    [...selectCss("[data-value]", "data-value", parseHtml(part))].map(Number);
  const { last } = progress;
  assertEquals(values(parts.top).slice(0, 8), [
    last.started,
    last.requests,
    last.failed / last.requests,
    last.p50,
    last.p95,
    last.p99,
    last.vus,
    last.dropped,
  ]);
  assertStringIncludes(parts.top, "1,000 so far");
  assertEquals(values(parts.rest), [12, 500, 3]);
  assertEquals(drawn.lines[0][1], BUSY.timeline.map(({ started }) => started));
});

Deno.test("livePage runs only its own script and connects only to its own server", async () => {
  const text = await livePage({
    name: HOSTILE,
    scenarios: { s: { executor: "constant-vus", vus: 1, duration: "1s", flow: [] } },
  });
  const page = parseHtml(text);
  const [policy] = selectCss("meta[http-equiv]", "content", page);
  assertStringIncludes(policy, "default-src 'none'; script-src 'sha256-");
  assertStringIncludes(policy, "connect-src 'self'");
  const [script] = text.match(/(?<=<script>)[\s\S]*(?=<\/script>)/)!;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
  assertStringIncludes(policy, `'sha256-${new Uint8Array(digest).toBase64()}'`);
  assertEquals([...selectCss("img, [src], [href]", undefined, page)], []);
});

Deno.test("live pages state whether a percentile covers the last second or the whole run", () => {
  const { parts } = stateEvent({ name: "", progress: progressAt(12_000), note: "" }, []);
  assertMatch(parts.top, /<h2>Last second<\/h2>[^]*<dt>p95<\/dt>/);
});

const HOSTILE_NAME = "<img src=x onerror=alert(1)>\u202e";
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

function render(now: TickDetails): string {
  return printHtml(liveSections(now)).text;
}

/** Returns the cells of each row of the table with the given caption. */
function rows(now: TickDetails, caption: string): string[][] {
  const page = parseHtml(render(now));
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
  assertEquals(rows(details({ endpoints }), "Endpoints"), [
    ["c", "100", "50.00%", "50ms", "95ms"],
    ["b", "300", "0.00%", "50ms", "95ms"],
    ["a", "100", "0.00%", "50ms", "95ms"],
  ]);
});

Deno.test("liveSections omits percentiles for an endpoint whose requests were not sent", () => {
  const none = { count: 0, unsent: 4, failed: 4, histogram: new Histogram().data() };
  assertEquals(rows(details({ endpoints: [endpoint("a", none)] }), "Endpoints"), [
    ["a", "4", "100.00%", "–", "–"],
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
      endpoints: [endpoint(HOSTILE_NAME, { scenario: HOSTILE_NAME, group: `::${HOSTILE_NAME}` })],
      checks: [{ ...IN, name: HOSTILE_NAME, request: HOSTILE_NAME, passes: 0, fails: 1 }],
      failures: [{
        ...IN,
        name: HOSTILE_NAME,
        method: "GET",
        status: 0,
        message: HOSTILE_NAME,
        count: 1,
      }],
    }),
  );
  assertEquals(/<img|\u202e/.test(text), false);
  assertEquals(render(details({})), "");
});

async function page(changes: Partial<Review> = {}) {
  const text = await reviewPage(exampleReview(changes));
  const parsed = parseHtml(text);
  const all = (selector: string, attribute?: string) => [...selectCss(selector, attribute, parsed)];
  return { text, all };
}

Deno.test("reviewPage shows the calls in order with entry, method, URL, status and result", async () => {
  const { all } = await page();
  const rows = '[aria-label="Calls"] tbody';
  assertEquals(all(`${rows} th`), ["3", "12"]);
  assertEquals(all(`${rows} tr:nth-child(2) td`), [
    ...["POST", "https://shop.example/login", "302", "stale"],
    "depends on request 1 (GET /login)",
  ]);
});

Deno.test("reviewPage links each value with its source and its consumers", async () => {
  const { all } = await page();
  const row = '[aria-label="Values"] tbody tr:nth-child(1)';
  assertEquals(all(`${row} a`, "href"), ["#call-1", "#call-2"]);
  assertEquals(all(`${row} td`).slice(0, 4), [
    "stale",
    "request 1 (GET /login)",
    "form csrf_token of request 2 (POST /login)",
    "sent as recorded",
  ]);
  assertEquals(all(`${row} pre`), [
    "# request 1 (GET /login)\nextract:\n  - type: css\n    name: csrf_token",
  ]);
  const links = all("a", "href");
  const ids = new Set(all("[id]", "id").map((id) => `#${id}`));
  assertEquals(links.filter((link) => !ids.has(link!)), []);
});

Deno.test("reviewPage collapses long lists of consumers", async () => {
  const { all } = await page();
  assertEquals(all("details summary"), ["2 more"]);
  assertEquals(all("td > ul > li").length + all("details li").length, 8);
});

Deno.test("reviewPage shows recorded and live values, differences and notes", async () => {
  const { all } = await page();
  assertEquals(all('[aria-label="Values"] tbody tr:nth-child(2) th code'), [
    "${next}",
    "/home",
    "/start",
  ]);
  assertEquals(all('[aria-label="Differences"] tbody td'), ["query page", "1", "2", "4"]);
  assertEquals(all('[aria-label="Notes"] tbody td'), [
    "warning",
    "request 1 (GET /login)",
    "missing",
  ]);
});

Deno.test("reviewPage can be sorted and searched, and labels its tables for screen readers", async () => {
  const { all } = await page();
  const tables = ["Calls", "Values", "Differences", "Notes"];
  assertEquals(all("div.scroll", "aria-label"), tables);
  assertEquals(all("table.sortable").length, tables.length);
  assertEquals(all('input[type="search"][data-filters="rows"]', "aria-label"), [
    "Search calls",
    "Search values",
    "Search differences",
    "Search notes",
  ]);
  assertEquals(all('thead th:not([scope="col"])'), []);
  assertEquals(all("tbody tr > th:first-child", "scope").filter((scope) => scope !== "row"), []);
  assertEquals(all('[aria-label="Calls"] tbody th', "data-value"), ["3", "12"]);
});

Deno.test("reviewPage is self-contained and has no charts", async () => {
  const { text } = await page();
  assert(!/(?:src|href)\s*=\s*["']?(?:https?:|\/)/.test(text));
  assert(!/\burl\(|@import|fetch\(/.test(text));
  assertStringIncludes(text, "default-src 'none'");
  assert(!text.includes("uPlot=function"));
  assert(text.length < 50_000, String(text.length));
});

Deno.test("reviewPage escapes recorded text everywhere", async () => {
  const hostile = `</script><img src=x onerror=alert(1)>"'\u202e\x1b[31m`;
  const { text, all } = await page({
    title: hostile,
    verdict: hostile,
    facts: [hostile],
    calls: [{
      name: hostile,
      method: hostile,
      url: hostile,
      result: hostile,
      rating: "bad",
      reason: hostile,
    }],
    values: [{
      variable: hostile,
      recorded: hostile,
      live: hostile,
      result: hostile,
      rating: "open",
      from: { call: hostile, place: hostile },
      to: [{ call: hostile, place: hostile }],
      reason: hostile,
      edit: hostile,
    }],
    differences: [{
      rating: "bad",
      call: hostile,
      what: hostile,
      recorded: hostile,
      actual: hostile,
    }],
    notes: [{ rating: "bad", kind: hostile, subject: hostile, message: hostile }],
  });
  assertEquals(all("img"), []);
  assert(!text.includes("<img"));
  assert(!text.includes("\u202e") && !text.includes("\x1b"));
});

Deno.test("reviewPage shortens long values, but not suggested edits", async () => {
  const long = "x".repeat(5_000);
  const { all } = await page({
    values: [{ recorded: long, result: "stale", rating: "bad", to: [], edit: long }],
  });
  assertEquals(all('[aria-label="Values"] tbody th code').map((text) => text!.length), [240]);
  assertEquals(all("pre").map((text) => text!.length), [5_000]);
});

const BAD = `stale: 1 stale value would be sent

Calls that are not as recorded
  request 2 (POST /login)  https://shop.example/login  depends on request 1 (GET /login)

Stale values (1)
  "c796f15d" in form csrf_token of request 2 (POST /login)
    sent as recorded; source: request 1 (GET /login)

Calls that differ (1)
  request 2 (POST /login): query page: recorded "1", sent "2", 4 times
`;

Deno.test("reviewText lists bad values and differences, and with `explain` everything", () => {
  assertEquals(reviewText(exampleReview(), false), BAD);
  const whole = reviewText(exampleReview(), true);
  assertStringIncludes(whole, "Call not sent (1)\n  request 1 (GET /login): missing\n");
  assertStringIncludes(whole, "\n\nrecorded calls: 1 stale, 1 consistent\n");
});

Deno.test("reviewText joins equal differences, and lists at most six entries of a kind", () => {
  const differences = Array.from({ length: 9 }, (_, i) => ({
    rating: "bad" as const,
    call: `request ${i}`,
    what: i < 2 ? "status" : `query q${i}`,
    recorded: "1",
  }));
  const text = reviewText(exampleReview({ values: [], differences }), false);
  assertStringIncludes(
    text,
    'request 0 and 1 more call: status: recorded "1", not sent, 2 times\n',
  );
  assertStringIncludes(text, "  (2 more; `--explain` lists all)\n");
});

Deno.test("reviewText joins calls with the same reason, but not with `explain`", () => {
  const calls = ["a", "b", "c"].map((url, i) => ({
    name: `call ${i + 2}`,
    method: "GET",
    url,
    result: "caused by an earlier call",
    rating: "bad" as const,
    reason: i < 2 ? "caused by call 1: not sent" : "not sent",
  }));
  const review = exampleReview({ calls, values: [], differences: [], notes: [] });
  assertStringIncludes(
    reviewText(review, false),
    "call 2  a  caused by call 1: not sent (and 1 more call)\n  call 4  c  not sent\n",
  );
  assertStringIncludes(reviewText(review, true), "call 3  b  caused by call 1: not sent\n");
});

Deno.test("reviewText escapes recorded text", () => {
  const notes = [{ rating: "bad" as const, kind: "k", subject: "\u202ea", message: "\x1b[31m" }];
  const text = reviewText(exampleReview({ notes }), false);
  for (const raw of ["\u202e", "\x1b"]) assertEquals(text.includes(raw), false);
});
