import { toSeries } from "../../../src/engine/metrics/endpoint_series.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { formatThousands } from "../../../src/base/format.ts";
import { Histogram } from "../../../src/base/histogram.ts";
import { decodeHistogram, encodeHistogram } from "../../../src/base/histogram_codec.ts";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import { rankChecks } from "../../../src/report/run_sections.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type {
  CounterStats,
  RateStats,
  TrendStats,
} from "../../../src/engine/summary/flow_stats.ts";
import { runCharts } from "../../../src/report/html/run_charts.ts";
import { runReport } from "../../../src/report/html/run_report.ts";
import { longSummary } from "../../builders/long_summary.ts";
import { BUSY } from "../../builders/summary.ts";

/** Text that would end an element, an attribute, a comment, a script or a style sheet. */
const HOSTILE =
  `</script></style></title>--><script>alert(1)</script><img src=x onerror="alert(1)">'`;

/** Returns the exact numbers in the report's table with the given caption, row by row. */
async function numbers(summary: Summary, caption: string): Promise<number[][]> {
  const page = parseHtml(await runReport(summary));
  const rows = [...selectCss(`[aria-label="${caption}"] tbody tr`, undefined, page)];
  return rows.map((_, i) =>
    [
      ...selectCss(
        `[aria-label="${caption}"] tbody tr:nth-child(${i + 1}) td`,
        "data-value",
        page,
      ),
    ].map(Number)
  );
}

async function chartsOf(summary: Summary) {
  const page = parseHtml(await runReport(summary));
  const [text] = selectCss("#charts", undefined, page);
  return JSON.parse(text);
}

Deno.test("runReport shows the key metrics of the summary", async () => {
  const page = parseHtml(await runReport(BUSY));
  const { metrics } = BUSY;
  const duration = metrics.http_req_duration as TrendStats;
  assertEquals([...selectCss(".metrics [data-value]", "data-value", page)].map(Number), [
    (metrics.http_reqs as CounterStats).count,
    (metrics.http_req_failed as RateStats).value,
    duration["p(95)"],
    duration["p(99)"],
    duration.med,
    duration.max,
    (metrics.iterations as CounterStats).count,
    (metrics.dropped_iterations as CounterStats).count,
    (metrics.checks as RateStats).value,
    (metrics.data_received as CounterStats).count,
  ]);
});

Deno.test("runReport shows the metrics of the summary in its tables", async () => {
  const summary = longSummary({ seconds: 20, endpoints: 15 });
  const times = (t: TrendStats) => [t.med, t["p(95)"], t["p(99)"], t["p(99.9)"], t.max];
  const all = summary.endpoints.reduce((sum, { count }) => sum + count, 0);
  assertEquals(
    await numbers(summary, "Endpoints"),
    summary.endpoints.map((e) => [
      e.count,
      e.count / (summary.duration_ms / 1_000),
      e.count / all,
      e.failed / e.count,
      ...times(e.http_req_duration),
    ]),
  );
  const failed = summary.endpoints.reduce((sum, { failed }) => sum + failed, 0);
  const page = parseHtml(await runReport(summary));
  assertEquals(
    [...selectCss("[aria-label=Endpoints] tfoot td", "data-value", page)].map(Number),
    [
      all,
      all / (summary.duration_ms / 1_000),
      failed / all,
      ...times(summary.metrics.http_req_duration as TrendStats),
    ],
  );
  assertEquals(
    await numbers(BUSY, "Checks"),
    rankChecks(BUSY.checks).map(({ passes, fails }) => [
      passes,
      fails,
      passes + fails === 0 ? -1 : passes / (passes + fails),
    ]),
  );
  assertEquals(await numbers(BUSY, "Errors"), BUSY.errors.map(({ count }) => [count]));
  assertEquals(await numbers(BUSY, "Scenarios"), [[495, 2, 3, 20, 0.08, 0.41, 2.1]]);
  assertEquals(await numbers(BUSY, "Thresholds"), [[512.5], [21.605], [0.0208], [497], []]);
  const trends = Object.entries(BUSY.metrics).filter(([, stats]) => "avg" in stats && stats.max > 0)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([, stats]) => stats as TrendStats);
  assertEquals(
    await numbers(BUSY, "Times"),
    trends.map((
      t,
    ) => [t.count, t.avg, t.min, t.med, t.max, t["p(90)"], t["p(95)"], t["p(99)"], t["p(99.9)"]]),
  );
});

Deno.test("runReport draws the timeline of the summary", async () => {
  const summary = longSummary({ seconds: 90, endpoints: 2 });
  const { axes, charts } = await chartsOf(summary);
  const line = (chart: string, label: string) =>
    charts.find(({ title }: { title: string }) => title === chart)
      .series.find((series: { label: string }) => series.label === label).values;
  const of = (key: "at" | "scheduled" | "started" | "requests" | "p50" | "p95" | "p99" | "vus") =>
    summary.timeline.map((point) => point[key]);
  assertEquals(axes.seconds, of("at"));
  assertEquals(line("Throughput", "iterations scheduled"), of("scheduled"));
  assertEquals(line("Throughput", "iterations started"), of("started"));
  assertEquals(line("Throughput", "requests"), of("requests"));
  assertEquals(line("Latency", "p95"), of("p95"));
  assertEquals(line("VUs", "active VUs"), of("vus"));
  assertEquals(
    line("Errors", "failed requests"),
    summary.timeline.map(({ failed, requests }) => failed / requests),
  );
});

Deno.test("runReport shows the verdict and the number of failed thresholds first", async () => {
  const page = parseHtml(await runReport(BUSY));
  const [verdict] = selectCss("main > header > p:first-child", undefined, page);
  assertEquals(verdict, "✗ Failed 1 of 5 thresholds failed");
  const passed = { ...BUSY, passed: true, thresholds: BUSY.thresholds.filter((t) => t.passed) };
  assertStringIncludes(await runReport(passed), "✓ Passed</strong> 4 thresholds passed");
  const none = { ...BUSY, passed: null, thresholds: [], ending: "interrupted" as const };
  assertStringIncludes(await runReport(none), ">Interrupted</strong>");
});

Deno.test("runReport shows the reason instead of a verdict if a run is incomplete", async () => {
  const thresholds = BUSY.thresholds.map((t) => ({ ...t, passed: null, value: null }));
  const shards = [{ ...BUSY.shards[0], shard: "2/3" }];
  const shard = await runReport({ ...BUSY, passed: null, thresholds, shards });
  assertStringIncludes(shard, ">Not evaluated</strong> 5 thresholds not evaluated");
  assertStringIncludes(shard, "shard 2/3 only");
  const accepted = [{ flaw: "missing" as const, message: "missing: shard 2/3" }];
  const incomplete = await runReport({ ...BUSY, passed: null, thresholds: [], accepted });
  assertStringIncludes(incomplete, ">Incomplete</strong>");
  assertStringIncludes(incomplete, '<p class="bad">missing: shard 2/3</p>');
});

/** Returns the text of the elements that match a selector, with whitespace collapsed. */
function texts(page: string, selector: string): string[] {
  return [...selectCss(selector, undefined, parseHtml(page))].map((text) =>
    text.replaceAll(/\s+/g, " ").trim()
  );
}

Deno.test("runReport shows the warnings about the run below the verdict", async () => {
  const [open] = BUSY.scenarios;
  const lag = { ...open.schedule_lag_us!, "p(99)": 22_000 };
  const page = await runReport({ ...BUSY, scenarios: [{ ...open, schedule_lag_us: lag }] });
  const [dropped, cutOff, late, ...others] = texts(page, "header .warnings li");
  assertEquals(
    dropped,
    "browse: 3 iterations dropped (0.60%): all 20 VUs were busy; raise max_vus, or find out " +
      "why responses are slow",
  );
  assertStringIncludes(cutOff, "2 iterations cut off");
  assertStringIncludes(late, "browse: iterations started late (p99 22ms");
  assertEquals(others, []);
  const calm = { ...open, dropped: 0, interrupted: 0 };
  assertEquals(texts(await runReport({ ...BUSY, scenarios: [calm] }), ".warnings"), []);
});

Deno.test("runReport omits response times for a run without responses", async () => {
  const page = await runReport({
    ...BUSY,
    passed: false,
    failure: "no request got a response",
    thresholds: [],
  });
  const bad = texts(page, "header .verdict:has(.bad)");
  assertEquals(bad, ["✗ Failed no request got a response; no thresholds"]);
  const tiles = texts(page, ".metrics dt");
  assertEquals(tiles.includes("Failed") && !tiles.includes("p95"), true, tiles.join());
});

Deno.test("runReport shows targets, plan, version, machine and options", async () => {
  const environment = {
    version: "0.1.0",
    plan: "shop.yaml",
    targets: ["http://127.0.0.1:9", "http://127.0.0.1:10"],
    options: ["--rate-scale 2"],
    cores: 4,
    workers: 1,
  };
  assertEquals(texts(await runReport({ ...BUSY, environment }), "header .environment"), [
    "http://127.0.0.1:9, http://127.0.0.1:10 · shop.yaml · rehearse 0.1.0 · 1 worker on 4 cores · " +
    "--rate-scale 2",
  ]);
  assertEquals(texts(await runReport(BUSY), ".environment"), []);
});

Deno.test("runReport counts unsent requests in a separate column", async () => {
  const [first, second] = BUSY.endpoints;
  const endpoints = [{ ...first, count: 60, failed: 170, unsent: 110 }, {
    ...second,
    count: 0,
    failed: 10,
    unsent: 10,
  }];
  const page = await runReport({ ...BUSY, endpoints });
  const at = texts(page, "[aria-label=Endpoints] th").indexOf("Not sent");
  assertEquals(at, 4);
  const rows = texts(page, "[aria-label=Endpoints] tbody tr");
  assertEquals(rows.filter((row) => row.includes("100.00%")).length, 2, rows.join("\n"));
  assertEquals(texts(await runReport(BUSY), "th").includes("Not sent"), false);
});

Deno.test("runReport draws corrected latency only if all requests have a corrected latency", async () => {
  const summary = longSummary({ seconds: 5, endpoints: 2 });
  const plain = summary.histograms.metrics.http_req_duration;
  const { count } = decodeHistogram(plain);
  const n = `n = ${formatThousands(count)}`;
  const drawn = async (samples: number) => {
    const corrected = new Histogram();
    for (let i = 0; i < samples; i++) corrected.record(1_000 + i);
    const metrics = { http_req_duration: plain, http_req_latency_corrected: "" };
    if (samples > 0) metrics.http_req_latency_corrected = encodeHistogram(corrected);
    const changed = { ...summary, histograms: { ...summary.histograms, metrics } };
    const curve = runCharts(changed).charts.find(({ axis }) => axis === "percentiles")!;
    const notes = texts(await runReport(changed), ".note").join();
    return { labels: curve.series.map(({ label }) => label), notes };
  };
  const all = await drawn(count);
  assertEquals(all.labels, [`http_req_duration (${n})`, `corrected (${n})`]);
  assertStringIncludes(all.notes, "while the target stalled");
  const some = await drawn(count - 1);
  assertEquals(some.labels, [`http_req_duration (${n})`]);
  assertStringIncludes(some.notes, "only for the first request");
  const none = await drawn(0);
  assertEquals([none.labels, none.notes.includes("orrected")], [some.labels, false]);
});

Deno.test("runReport escapes recorded text everywhere", async () => {
  const [endpoint] = BUSY.endpoints;
  const hostile: Summary = {
    ...BUSY,
    name: HOSTILE,
    metrics: { ...BUSY.metrics, [HOSTILE]: BUSY.metrics.http_req_duration },
    thresholds: BUSY.thresholds.map((t) => ({ ...t, metric: HOSTILE, expression: HOSTILE })),
    checks: BUSY.checks.map((c) => ({ ...c, name: HOSTILE, scenario: HOSTILE, group: HOSTILE })),
    endpoints: Array.from({ length: 20 }, () => ({
      ...endpoint,
      name: HOSTILE,
      scenario: HOSTILE,
      statuses: { [HOSTILE]: 1 },
    })),
    errors: BUSY.errors.map((e) => ({ ...e, name: HOSTILE, message: HOSTILE })),
    scenarios: BUSY.scenarios.map((s) => ({ ...s, name: HOSTILE, executor: HOSTILE })),
  };
  const text = await runReport(hostile, HOSTILE);
  const page = parseHtml(text);
  assertEquals([...selectCss("img", undefined, page)], []);
  assertEquals([...selectCss("script", undefined, page)].length, 2);
  assertEquals([...selectCss("title", undefined, page)], [`${HOSTILE}: rehearse`]);
  const attributes = [...text.matchAll(/<[a-z][^>]*?\s(on\w+|style)=/gi)].map(([all]) => all);
  assertEquals(attributes.filter((tag) => !tag.includes("&")), []);
  const bidi = await runReport({ ...BUSY, name: "a\u202eb\x1b[31m" });
  assertStringIncludes(bidi, "a\\u202eb\\x1b[31m");
});

Deno.test("the content security policy of runReport allows only its own script and style, by their hashes", async () => {
  const text = await runReport(BUSY);
  const [policy] = selectCss("meta[http-equiv]", "content", parseHtml(text));
  const hashed = async (tag: string) => {
    const content = text.slice(text.lastIndexOf(`<${tag}>`) + tag.length + 2);
    const bytes = new TextEncoder().encode(content.slice(0, content.indexOf(`</${tag}>`)));
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return `'sha256-${new Uint8Array(digest).toBase64()}'`;
  };
  assertEquals(policy.split("; "), [
    "default-src 'none'",
    `script-src ${await hashed("script")}`,
    `style-src ${await hashed("style")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  assert(!/(?:src|href)="?(?:https?:)?\/\//.test(text));
});

Deno.test("runReport writes less than 2 MB for a one-hour run with 200 endpoints", async () => {
  const report = await runReport(longSummary({ seconds: 3_600, endpoints: 200 }));
  assert(report.length < 2_000_000, `${report.length} characters`);
});

Deno.test("runReport merges several seconds into each point for runs longer than an hour", async () => {
  const summary = longSummary({ seconds: 7_200, endpoints: 1 });
  const { axes, charts } = await chartsOf(summary);
  assertEquals(axes.seconds.length, 3_600);
  const requests = charts[0].series[0].values as number[];
  const [first, second] = summary.timeline;
  assertEquals(requests[0], (first.requests + second.requests) / 2);
  assertEquals(charts[1].series[0].values[0], Math.max(first.p99, second.p99));
  assertStringIncludes(await runReport(summary), "One point per 2 seconds");
});

Deno.test("runReport accepts a run without requests, with or without its plan", async () => {
  const empty: Summary = {
    ...BUSY,
    metrics: {},
    thresholds: [],
    checks: [],
    endpoints: [],
    errors: [],
    scenarios: [],
    timeline: [],
  };
  assertMatch(await runReport(empty), /<main>\s*<nav[^]*<header/);
  const [plan] = selectCss("pre", undefined, parseHtml(await runReport(empty, "a: <b>\nc: 1\n")));
  assertEquals(plan, "a: <b>\nc: 1\n");
});

Deno.test("runReport draws the response times of each endpoint over time if the summary contains them", async () => {
  const [, login] = BUSY.endpoints;
  const series = {
    ...toSeries(2, []),
    ...{ count: [5, 5, 0, 5, 0], failed: [0, 1, 0, 0, 0], avg: [4, 8, 0, 2, 0] },
  };
  const summary = { ...BUSY, endpoints: [{ ...BUSY.endpoints[0], series }, login] };
  const page = parseHtml(await runReport(summary));
  assertEquals([...selectCss(".line path", "d", page)], ["M0 9h0L1 1M3 13h0", "M1 18v-3"]);
  assertEquals([...selectCss(".line title", undefined, page)], [
    "mean response time 2ms to 8ms; 1 request failed",
  ]);
  assertEquals([...selectCss(".line", undefined, parseHtml(await runReport(BUSY)))], []);
});
