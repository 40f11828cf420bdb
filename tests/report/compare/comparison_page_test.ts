import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { comparedEndpoints } from "../../../src/report/compare/compared_metrics.ts";
import { describeComparison } from "../../../src/report/compare/comparison_report.ts";
import { comparisonPage } from "../../../src/report/compare/print_comparison.ts";
import { longSummary } from "../../builders/long_summary.ts";

const BEFORE = longSummary({ seconds: 60, endpoints: 6 });
function render(before: Summary, after: Summary): Promise<string> {
  const runs = [{ file: "a.json", summary: before }, { file: "b.json", summary: after }];
  return comparisonPage(describeComparison(runs), runs);
}

const SLOWER = longSummary({ seconds: 60, endpoints: 7, slower: 1.5, seed: 2 });

Deno.test("comparisonPage marks a slower run and its slower endpoints", async () => {
  const report = await render(BEFORE, SLOWER);
  const [verdict] = selectCss(".verdict", undefined, parseHtml(report));
  assertStringIncludes(
    verdict,
    "✗ Worse all requests slower (p50, p90, p95, p99, corrected p50, corrected p99), 6 endpoints",
  );
  assertStringIncludes(report, "only after");
  const [faster] = selectCss(
    ".verdict",
    undefined,
    parseHtml(await render(SLOWER, BEFORE)),
  );
  assertStringIncludes(faster, "✓ Better all requests faster (p50, ");
});

Deno.test("comparisonPage shows the metrics of both summaries", async () => {
  const page = parseHtml(await render(BEFORE, SLOWER));
  const compared = comparedEndpoints(BEFORE, SLOWER);
  const values = [...selectCss('[aria-label="Endpoints"] td:nth-child(5)', "data-value", page)];
  assertEquals(
    values.map(Number),
    compared.map(({ time }) => time.before ?? -1),
  );
  const [p99] = [...selectCss('[aria-label="All requests"] tr:nth-child(7) td', "data-value", page)]
    .map(Number);
  assertEquals(p99, (BEFORE.metrics.http_req_duration as { "p(99)": number })["p(99)"]);
});

Deno.test("comparisonPage shows the file names and warns if targets or options differ", async () => {
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
    const page = parseHtml(await render(before, after));
    return {
      lines: [...selectCss("header p.faint", undefined, page)],
      warnings: [...selectCss("header .warnings li", undefined, page)],
    };
  };
  const same = await of({});
  assertStringIncludes(same.lines[0], "Before: a.json, ");
  assertStringIncludes(same.lines[1], "http://127.0.0.1:8080 · shop.yaml");
  assertStringIncludes(same.lines[2], "After: b.json, ");
  assertEquals(same.warnings.filter((text) => text.includes("different")), []);
  assertStringIncludes(same.warnings[0], "a.json: browse: 5 iterations dropped");
  const other = await of({ targets: ["http://127.0.0.1:9"], options: [] });
  assertEquals(other.warnings.filter((text) => text.includes("different")), [
    "the runs had different targets: http://127.0.0.1:8080 in a.json; http://127.0.0.1:9 in b.json",
    "the runs had different options: --vus 2 in a.json; none in b.json",
  ]);
});

const HOSTILE = "<img src=x onerror=alert(1)>";

Deno.test("comparisonPage of three runs lists the changes and the metrics of each run, and escapes names", async () => {
  const runs = [0, 1, 2].map((i) => ({
    file: `${HOSTILE}${i}.json`,
    summary: longSummary({
      seconds: 60,
      endpoints: 4,
      slower: 1 + i / 4,
      seed: i + 1,
      name: (k) => `${k} ${HOSTILE}`,
    }),
  }));
  runs[1].summary = { ...runs[1].summary, ending: "interrupted" };
  const text = await comparisonPage(describeComparison(runs), runs);
  assertEquals(text.includes("<img"), false);
  const page = parseHtml(text);
  const [verdict] = selectCss(".verdict", undefined, page);
  assertEquals(verdict.trim(), "✗ Worse");
  const changes = selectCss("#run-3-compared-with-run-1-the-first-run- tbody th", undefined, page);
  assertEquals([...changes][0], "p50");
  const files = [...selectCss("#runs tbody td:nth-child(2)", undefined, page)];
  assertEquals(files, runs.map(({ file }) => file));
  const p50 = [...selectCss("#runs tbody td:nth-child(3)", undefined, page)];
  assertEquals(p50.map((cell) => cell === "–"), [false, true, false]);
});
