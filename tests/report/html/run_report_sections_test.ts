import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import type { EndpointSeries } from "../../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { runCharts } from "../../../src/report/html/run_charts.ts";
import { runReport } from "../../../src/report/html/run_report.ts";
import { renderSummary } from "../../../src/report/text/render_summary.ts";
import { seriesPoints } from "../../../src/report/html/series.ts";
import { longSummary } from "../../builders/long_summary.ts";
import { BUSY } from "../../builders/summary.ts";

const LOOK = { color: false, width: 100, brief: false };
const HOSTILE = `</pre></script><script>alert(1)</script><img src=x onerror="alert(1)">\u202e'`;

/** Returns the text of the elements that match a selector, with whitespace collapsed. */
function texts(page: string, selector: string): string[] {
  return [...selectCss(selector, undefined, parseHtml(page))].map((text) =>
    text.replaceAll(/\s+/g, " ").trim()
  );
}

const [first] = BUSY.endpoints;
const failure = {
  scenario: first.scenario,
  group: first.group,
  name: first.name,
  method: first.method,
  status: 503,
  count: 12,
};

Deno.test("runReport lists failures by status and kind, with a sample request and response", async () => {
  const sample = {
    request: {
      method: "POST",
      url: "http://shop/cart?id=7",
      headers: ["accept: */*"],
      body: "a=1",
    },
    response: { status: 503, headers: ["retry-after: 5"], body: "line 1\nline 2" },
  };
  const reset = { ...failure, status: 0, kind: "reset" as const, message: "closed", count: 3 };
  const failures = [{ ...failure, sample }, reset];
  const page = await runReport({ ...BUSY, failures, errors: [] });
  const rows = texts(page, "[aria-label=Failures] tbody tr");
  assertEquals(rows.length, 2);
  assertMatch(rows[0], /503status120\.24%request, response$/);
  assertMatch(rows[1], /nonereset3.*closed$/);
  const [link] = [...selectCss("[aria-label=Failures] td a", "href", parseHtml(page))];
  const [, response] = [...selectCss(`${link} pre`, undefined, parseHtml(page))];
  assertEquals(response, "Status 503\nretry-after: 5\n\nline 1\nline 2");
  assertEquals(texts(page, "#errors").length, 0);
});

Deno.test("runReport omits errors that it already lists as failed requests", async () => {
  const errors = [
    { kind: "reset" as const, scenario: first.scenario, name: first.name, count: 3, message: "r" },
    { kind: "template" as const, scenario: first.scenario, name: "set", count: 1, message: "t" },
  ];
  const failures = [{ ...failure, status: 0, kind: "reset" as const }];
  const page = await runReport({ ...BUSY, failures, errors });
  assertEquals(texts(page, "[aria-label=Errors] tbody th"), ["template"]);
  const old = await runReport({ ...BUSY, errors });
  assertEquals(texts(old, "[aria-label=Errors] tbody th"), ["reset", "template"]);
});

Deno.test("runReport escapes recorded text in samples, phases and groups", async () => {
  const part = { headers: [HOSTILE], body: HOSTILE };
  const summary: Summary = {
    ...BUSY,
    failures: [{
      ...failure,
      name: HOSTILE,
      message: HOSTILE,
      sample: {
        request: { method: HOSTILE, url: HOSTILE, ...part },
        response: { status: 500, ...part },
      },
    }],
    groups: [{
      scenario: HOSTILE,
      group: `::${HOSTILE}`,
      duration: BUSY.endpoints[0].http_req_duration,
    }],
    phases: [
      { scenario: HOSTILE, from_ms: 0, to_ms: 5_000 },
      { scenario: "b", from_ms: 0, to_ms: 5_000 },
    ],
  };
  const page = parseHtml(await runReport(summary));
  assertEquals([...selectCss("img", undefined, page)], []);
  assertEquals([...selectCss("script", undefined, page)].length, 2);
});

Deno.test("runReport draws the limits of thresholds that apply to all requests or to one endpoint", () => {
  const limit = (metric: string, expression: string) => ({
    metric,
    expression,
    passed: true,
    value: 1,
    aborted: false,
  });
  const { charts, details } = runCharts({
    ...longSummary({ seconds: 5, endpoints: 2 }),
    thresholds: [
      limit("http_req_duration", "p(95)<1.5s"),
      limit("http_req_failed", "rate<0.01"),
      limit("http_req_waiting", "p(95)<2s"),
      limit("http_req_duration{scenario:browse,method:POST}", "p(99)<3s"),
      limit("http_req_duration{method:GET}", "max<4s"),
      limit("http_req_duration{kind:page}", "max<5s"),
      limit("http_req_duration", "this is no threshold"),
      limit("{", "p(95)<1s"),
    ],
  });
  const limits = (name: string) => charts.find(({ title }) => title === name)?.limits;
  assertEquals(limits("Latency"), [{ value: 1_500, label: "p(95)<1.5s" }]);
  assertEquals(limits("Errors"), [{ value: 0.01, label: "rate<0.01" }]);
  assertEquals(limits("VUs"), undefined);
  assertEquals(details?.[0].charts[0].limits, [{ value: 4_000, label: "max<4s" }]);
});

Deno.test("runReport marks the planned phases, unless there is only one", () => {
  const marks = (phases: Summary["phases"]) =>
    runCharts({ ...BUSY, phases }).marks?.map(({ at, label, text }) => [at, label, text]);
  assertEquals(
    marks([
      { scenario: "ramp", from_ms: 0, to_ms: 2_000, target: 20, unit: "rates" },
      { scenario: "ramp", from_ms: 2_000, to_ms: 6_000, target: 0.5, unit: "rates" },
    ]),
    [
      [0, "→ 20/s", "ramp: stage 1 of 2, → 20/s"],
      [2, "→ 0.5/s", "ramp: stage 2 of 2, → 0.5/s"],
      [6, "", ""],
    ],
  );
  assertEquals(
    marks([
      { scenario: "a", from_ms: 0, to_ms: 10_034 },
      { scenario: "b", from_ms: 3_000, to_ms: 10_034, target: 4, unit: "VUs" },
    ]),
    [[0, "a", "a"], [3, "b → 4 VUs", "b, → 4 VUs"]],
  );
  assertEquals(marks([{ scenario: "a", from_ms: 0, to_ms: 10_034 }]), []);
  assertEquals(marks([]), []);
});

const SERIES: EndpointSeries = {
  step: 2,
  count: [10, 0, 20, 1],
  failed: [1, 0, 4, 0],
  avg: [5, 0, 6, 7],
  p50: [4, 0, 5, 7],
  p95: [9, 0, 11, 7],
  p99: [10, 0, 12, 8],
  statuses: { "2xx": [9, 0, 16, 1], "5xx": [1, 0, 4, 0] },
  histograms: ["dwI=", "", "TwQ=", "TwE="],
};

Deno.test("runReport contains percentiles and statuses over time for each endpoint", () => {
  const summary = {
    ...BUSY,
    duration_ms: 6_500,
    endpoints: [{ ...first, failed: 5, series: SERIES }],
  };
  const { details, charts, axes } = runCharts(summary);
  const [times, responses] = details![0].charts.map(({ series }) =>
    series.map(({ label, values }) => [label, values])
  );
  assertEquals(times[1], ["p95", [9, null, 11]]);
  assertEquals(responses, [
    ["2xx", [4.5, 0, 6.8]],
    ["5xx", [0.5, 0, 1.6]],
    ["failed", [0.5, 0, 1.6]],
  ]);
  const statuses = charts.find(({ title }) => title === "Responses by status");
  assertEquals(statuses?.series.map(({ label, values }) => [label, values]), [
    ["2xx", [4.5, 0, 6.8]],
    ["5xx", [0.5, 0, 1.6]],
  ]);
  assertEquals(axes.intervals, [2, 4, 6]);
  const old = runCharts(BUSY);
  const lines = old.details![0].charts.flatMap(({ series }) => series);
  assertEquals(lines.flatMap(({ values }) => values), []);
  assertEquals(old.charts.some(({ title }) => title === "Responses by status"), false);
});

Deno.test("seriesPoints merges the last interval with the preceding one if it is less than half as long as the others", () => {
  const at = (ms: number) =>
    seriesPoints({ step: 2, count: [1, 1, 1] }, ms).map((
      { from, to, seconds },
    ) => [from, to, seconds]);
  assertEquals(at(6_000), [[0, 1, 2], [1, 2, 2], [2, 3, 2]]);
  assertEquals(at(5_000), [[0, 1, 2], [1, 2, 2], [2, 3, 1]]);
  assertEquals(at(4_500), [[0, 1, 2], [1, 3, 2.5]]);
  assertEquals(seriesPoints({ step: 1, count: [] }, 0), []);
});

Deno.test("runReport draws a heat map of the response times", async () => {
  const page = await runReport({ ...BUSY, endpoints: [{ ...first, series: SERIES }] });
  const [label] = [...selectCss(".heatmap [role=img]", "aria-label", parseHtml(page))];
  assertMatch(label, /^Latency heat map: 31 requests in 4 intervals of 2s, response times from /);
  const titles = texts(page, "figure.heatmap title");
  assertEquals(titles.length, 4);
  assertMatch(titles[0], /^0ms to 2s: 10 requests; most often 1\.\d+ms to /);
  assertEquals(titles[1], "2s to 4s: 0 requests");
  assertEquals((await runReport(BUSY)).includes('class="heatmap"'), false);
});

Deno.test("the heat map of runReport ends with the run, and places each tick exactly at its time", async () => {
  const endpoints = [{ ...first, series: SERIES }];
  const at = async (duration_ms: number) => {
    const page = await runReport({ ...BUSY, duration_ms, endpoints });
    const ticks = texts(page, ".heatmap .ticks text");
    const places = [...selectCss(".heatmap .ticks text", "x", parseHtml(page))];
    return { ticks, places, last: texts(page, "figure.heatmap title").at(-1)! };
  };
  const short = await at(7_000);
  assertEquals(short.ticks, ["0:00", "0:02", "0:04", "0:06"]);
  assertEquals(short.places, ["0%", "28.57%", "57.14%", "85.71%"]);
  assertMatch(short.last, /^6s to 7s: /);
  assertEquals((await at(100_000)).ticks, ["0:00", "0:30", "1:00", "1:30"]);
  assertEquals((await at(7_200_000)).ticks, [
    ...["0:00", "30:00", "1:00:00", "1:30:00", "2:00:00"],
  ]);
});

Deno.test("runReport explains the lines that mark phases only if there are phases", async () => {
  const note = "Dotted vertical lines are the planned phases.";
  const phase = { scenario: first.scenario, from_ms: 1_000, to_ms: 2_000 };
  assertStringIncludes(await runReport({ ...BUSY, phases: [phase] }), note);
  assertEquals((await runReport({ ...BUSY, phases: [] })).includes(note), false);
});

Deno.test("renderSummary ranks endpoints with fewer than 20 requests last, and states the rule", () => {
  const named = (name: string, count: number, p95: number) => ({
    ...{ ...first, name, count, failed: 0 },
    http_req_duration: { ...first.http_req_duration, "p(95)": p95 },
  });
  const endpoints = [named("rare", 3, 900), named("slow", 500, 500), named("fast", 500, 100)];
  const text = renderSummary({ ...BUSY, endpoints }, LOOK);
  assertMatch(
    text,
    /Slowest endpoints \(endpoints with fewer than 20 requests rank last\)\n[^\n]*\n +slow [^\n]*\n +fast [^\n]*\n +rare /,
  );
  const alike = renderSummary({ ...BUSY, endpoints: endpoints.slice(1) }, LOOK);
  assertEquals(alike.includes("rank last"), false);
});

Deno.test("runReport shows the durations of groups", async () => {
  const duration = { ...first.http_req_duration, count: 7, med: 123 };
  const groups = [{ scenario: "browse", group: "::shop::cart", duration }];
  const page = await runReport({ ...BUSY, groups });
  const [row] = texts(page, "[aria-label=Groups] tbody tr");
  assertStringIncludes(row, "browse › shop › cart");
  assertStringIncludes(row, "123ms");
});

Deno.test("runReport shows the first rows of tables with more than 50 rows, and collapses reference sections", async () => {
  const long = await runReport(longSummary({ seconds: 3, endpoints: 51 }), "name: x\n");
  const short = await runReport(longSummary({ seconds: 3, endpoints: 50 }), "name: x\n");
  const count = (page: string, selector: string) => texts(page, selector).length;
  assertEquals(count(long, '[aria-label=Endpoints] table[data-first="10"]'), 1);
  assertEquals(count(short, "[aria-label=Endpoints] table[data-first]"), 0);
  assertEquals(count(long, "[aria-label=Endpoints] tbody tr"), 51);
  assertEquals(count(long, "details.folded[open]"), 0);
  assert(count(short, "details.folded[open]") >= 3);
});

Deno.test("runReport links to each of its sections and endpoints", async () => {
  const page = await runReport(longSummary({ seconds: 3, endpoints: 20 }), "name: x\n");
  const html = parseHtml(page);
  const links = [...selectCss("nav a, .opens", "href", html)];
  assert(links.length > 25);
  for (const link of links) {
    assertEquals([...selectCss(link, undefined, html)].length, 1, link);
  }
});
