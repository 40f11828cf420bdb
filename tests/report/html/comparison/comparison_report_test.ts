import { assertEquals, assertStringIncludes } from "@std/assert";
import { Histogram } from "../../../../src/base/histogram.ts";
import { encodeHistogram } from "../../../../src/base/histogram_encoding.ts";
import { parseHtml, selectCss } from "../../../../src/extract/parse_html.ts";
import type { Summary } from "../../../../src/engine/summary/summary.ts";
import { comparedEndpoints } from "../../../../src/report/html/comparison/compared_endpoints.ts";
import { comparisonReport } from "../../../../src/report/html/comparison/comparison_report.ts";
import { longSummary } from "../../../builders/long_summary.ts";

const BEFORE = longSummary({ seconds: 60, endpoints: 6 });
const SLOWER = longSummary({ seconds: 60, endpoints: 7, slower: 1.5, seed: 2 });

Deno.test("comparisonReport marks a slower run and its slower endpoints", async () => {
  const report = await comparisonReport(BEFORE, SLOWER);
  const [verdict] = selectCss(".verdict", undefined, parseHtml(report));
  assertStringIncludes(verdict, "✗ Worse 6 endpoints slower, 0 faster, 0 failing more often");
  assertStringIncludes(report, "only after");
  const [faster] = selectCss(
    ".verdict",
    undefined,
    parseHtml(await comparisonReport(SLOWER, BEFORE)),
  );
  assertStringIncludes(faster, "✓ Better 0 endpoints slower, 6 faster");
});

Deno.test("compareRuns returns `worse` if a threshold newly fails, even if no metric changed", async () => {
  const threshold = { metric: "checks", expression: "rate>0.9", abort_on_fail: false, value: 1 };
  const [held, crossed] = [true, false].map((passed) => ({
    ...BEFORE,
    thresholds: [{ ...BEFORE.thresholds[0], ...threshold, passed }],
  }));
  assertStringIncludes(
    await verdictOf(held, crossed),
    "✗ Worse 0 endpoints slower, 0 faster, 0 failing more often, 1 threshold newly failing",
  );
  assertStringIncludes(await verdictOf(crossed, held), "No change beyond noise");
});

Deno.test("compareRuns returns `not comparable` for runs without a common endpoint", async () => {
  const other = {
    ...BEFORE,
    endpoints: BEFORE.endpoints.map((endpoint) => ({ ...endpoint, scenario: "another" })),
  };
  assertStringIncludes(await verdictOf(BEFORE, other), "Not comparable the two runs have no end");
});

Deno.test("compareRuns never returns `better` for a run in which no request got a response", async () => {
  const none = runWith({});
  const refused = runWith({ count: 90, failed: 90 });
  for (const dead of [none, refused]) {
    assertStringIncludes(await verdictOf(BEFORE, dead), "✗ Worse no request of the later run got");
  }
  assertStringIncludes(await verdictOf(none, BEFORE), "Not comparable a run recorded no requests");
  assertStringIncludes(await verdictOf(none, none), "Not comparable a run recorded no requests");
});

Deno.test("compareRuns finds no change in an endpoint without requests in one run", async () => {
  const [, ...rest] = BEFORE.endpoints;
  const [empty] = runWith({}).endpoints;
  const verdict = await verdictOf(BEFORE, {
    ...BEFORE,
    endpoints: [empty, ...rest],
    histograms: {
      ...BEFORE.histograms,
      endpoints: [encodeHistogram(new Histogram()), ...BEFORE.histograms.endpoints.slice(1)],
    },
  });
  assertStringIncludes(verdict, "0 endpoints slower, 0 faster");
});

/** Returns `BEFORE` as a run in which no request got a response, with these counts. */
function runWith({ count = 0, failed = 0 }): Summary {
  const empty = new Histogram();
  const { http_reqs: _, http_req_failed: __, http_req_duration: ___, ...metrics } = BEFORE.metrics;
  return {
    ...BEFORE,
    passed: false,
    failure: "no request got a response",
    metrics,
    endpoints: BEFORE.endpoints.map((endpoint) => ({ ...endpoint, count, failed, statuses: {} })),
    histograms: {
      ...BEFORE.histograms,
      endpoints: BEFORE.endpoints.map(() => encodeHistogram(empty)),
    },
  };
}

async function verdictOf(before: Summary, after: Summary): Promise<string> {
  const [verdict] = selectCss(
    ".verdict",
    undefined,
    parseHtml(await comparisonReport(before, after)),
  );
  return verdict;
}

Deno.test("compareRuns finds no significant change between two runs with the same load", async () => {
  const again = longSummary({ seconds: 60, endpoints: 6, seed: 3 });
  const [verdict] = selectCss(
    ".verdict",
    undefined,
    parseHtml(await comparisonReport(BEFORE, again)),
  );
  assertStringIncludes(verdict, "No change beyond noise");
});

Deno.test("comparisonReport shows the metrics of both summaries", async () => {
  const page = parseHtml(await comparisonReport(BEFORE, SLOWER));
  const compared = comparedEndpoints(BEFORE, SLOWER);
  const values = [...selectCss('[aria-label="Endpoints"] td:nth-child(4)', "data-value", page)];
  assertEquals(
    values.map(Number),
    compared.map(({ before }) => before?.http_req_duration["p(95)"] ?? -1),
  );
  const [p99] = [...selectCss('[aria-label="All requests"] tr:nth-child(7) td', "data-value", page)]
    .map(Number);
  assertEquals(p99, (BEFORE.metrics.http_req_duration as { "p(99)": number })["p(99)"]);
});

Deno.test("comparisonReport shows the file names and warns if targets or options differ", async () => {
  const environment = {
    version: "0.1.0",
    plan: "shop.yaml",
    targets: ["http://127.0.0.1:8080"],
    options: ["--vus 2"],
    cores: 4,
    workers: 1,
  };
  const of = async (changes: Partial<typeof environment>) => {
    const after = { ...SLOWER, environment: { ...environment, ...changes } };
    const before = { ...BEFORE, environment };
    const page = parseHtml(await comparisonReport(before, after, ["a.json", "b.json"]));
    return {
      lines: [...selectCss("header p.faint", undefined, page)],
      warnings: [...selectCss("header .warnings li", undefined, page)],
    };
  };
  const same = await of({});
  assertStringIncludes(same.lines[0], "Before: a.json, ");
  assertStringIncludes(same.lines[1], "http://127.0.0.1:8080 · shop.yaml");
  assertStringIncludes(same.lines[2], "After: b.json, ");
  assertEquals(same.warnings, []);
  assertEquals((await of({ targets: ["http://127.0.0.1:9"], options: [] })).warnings, [
    "the runs had different targets: http://127.0.0.1:8080 before, http://127.0.0.1:9 after",
    "the runs had different options: --vus 2 before, none after",
  ]);
});
