// deno-lint-ignore-file no-control-regex -- color sequences
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { textWidth } from "../../src/base/safe_text.ts";
import type { RunEnvironment, Summary } from "../../src/engine/summary/summary.ts";
import { parseHtml, selectCss } from "../../src/extract/parse_html.ts";
import { nameCell, tableSection } from "../../src/report/blocks.ts";
import { type Comparison, describeComparison } from "../../src/report/compare/comparison_report.ts";
import {
  comparisonAnnotations,
  comparisonJson,
  comparisonMarkdown,
  comparisonPage,
  comparisonText,
  comparisonVerdict,
} from "../../src/report/compare/print_comparison.ts";
import type { ComparedRun } from "../../src/report/compare/run_differences.ts";
import { printText, style } from "../../src/report/text/print_blocks.ts";
import { longSummary } from "../builders/long_summary.ts";
import { BUSY } from "../builders/summary.ts";

const HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J\u202e::error::x";

/** Creates runs with 30 endpoints. The times of run `i` are `1 + step * i` times those of run 0. */
function hostileRuns(count: number, step: number, endpoints = 30) {
  return Array.from({ length: count }, (_, i) => ({
    file: `runs/${i}.json`,
    summary: longSummary({
      seconds: 60,
      endpoints,
      slower: 1 + step * i,
      seed: i + 1,
      name: (k) => `${HOSTILE} ${k}`,
    }),
  }));
}

/** Returns runs whose second one was interrupted. */
function withCut(runs: ReturnType<typeof hostileRuns>) {
  const cut = { ...runs[1].summary, ending: "interrupted" as const };
  return runs.with(1, { ...runs[1], summary: cut });
}

Deno.test("comparisonText shows two runs within 80 columns, changed endpoints first", () => {
  const text = comparisonText(describeComparison(hostileRuns(2, 0.5)), false, 80);
  const lines = text.split("\n");
  assert(lines.every((line) => textWidth(line) <= 80), text);
  assertEquals(/[\x1b\u202e]/.test(text), false);
  assertMatch(text, /^ {2}p50 +24\.1ms +\S+ms +\+\d+\.\d\d% {2}✗ slower$/m);
  const endpoints = lines.slice(lines.indexOf("Endpoints") + 2);
  assertMatch(endpoints[0], /✗ slower$/);
  assertEquals(endpoints[20], "  and 10 more rows");
});

Deno.test("comparisonText shows several runs within 80 columns, with dashes for incomplete runs", () => {
  const text = comparisonText(describeComparison(hostileRuns(9, 0.1)), false, 80);
  const tables = text.slice(text.indexOf("\nRuns\n"));
  assert(tables.split("\n").every((line) => textWidth(line) <= 80), tables);
  assertMatch(tables, /^ {4}9 {2}8\.json +\S+ms /m);
  const cut = comparisonText(describeComparison(withCut(hostileRuns(3, -0.05))), false);
  assertMatch(cut, /^ {4}2 {2}1\.json +– +– +– +– +– +– +✓ Passed$/m);
});

Deno.test("comparisonVerdict colors the verdict and breaks lines between words", () => {
  const found = describeComparison(hostileRuns(2, 0.5));
  const colored = comparisonVerdict(found, true, 60);
  assertMatch(colored, /^\x1b\[33mwarning:\x1b\[0m runs\/0\.json: browse: /);
  assertMatch(colored, /^\x1b\[31mworse: all requests slower/m);
  const plain = comparisonVerdict(found, false, 60);
  assert(plain.split("\n").every((line) => textWidth(line) <= 60), plain);
  assertEquals(plain.includes("\x1b"), false);
});

const run = (file: string, endpoints: number, slower = 1) => ({
  file,
  summary: longSummary({ seconds: 60, endpoints, slower, seed: file.charCodeAt(0) }),
});

function parsed(...runs: ReturnType<typeof run>[]) {
  const text = comparisonJson(describeComparison(runs));
  assertEquals(text.indexOf("\n"), text.length - 1);
  return JSON.parse(text);
}

Deno.test("comparisonJson contains the metrics of two runs with their intervals, and the endpoints of either", () => {
  const { verdict, history, runs, metrics, endpoints } = parsed(run("a", 2), run("b", 3, 2));
  assertEquals([verdict, history, runs.length], ["worse", undefined, 2]);
  const p50 = metrics.find(({ label }: { label: string }) => label === "p50");
  assertEquals([p50.unit, p50.verdict], ["time", "worse"]);
  const { before: early, after: late } = p50;
  assertEquals(early.low <= early.value && early.value <= early.high, true);
  assertEquals(early.high < late.low && late.value > 1.8 * early.value, true);
  assertEquals(metrics[0].verdict, undefined);
  const { p95, p50: median, failed } = endpoints[0].metrics;
  const verdicts = [p95, median, failed].map(({ verdict }) => verdict);
  assertEquals(verdicts, ["worse", "worse", "within noise"]);
  assertEquals([endpoints[2].metrics, endpoints[2].requests], [undefined, { after: 3_000 }]);
});

Deno.test("the history in comparisonJson contains null for runs without a value", () => {
  const { history } = JSON.parse(comparisonJson(describeComparison(withCut(hostileRuns(3, 0)))));
  const [p50] = history;
  const isKnown = p50.values.map((value: unknown) => value !== null);
  assertEquals([p50.label, isKnown], ["p50", [true, false, true]]);
});

Deno.test("docs/reports.md describes every key of the JSON of a comparison", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/reports.md", import.meta.url));
  const [, part] = page.match(/\n## Compare runs\n(.*?)\n## /s)!;
  const keys = new Set<string>();
  JSON.stringify(parsed(run("a", 2), run("b", 3), run("c", 2)), (key, value) => {
    if (!/^\d*$/.test(key)) keys.add(key);
    // Its keys are those of the summary.
    return key === "environment" ? undefined : value;
  });
  assertEquals([...keys].filter((key) => !part.includes(`\`${key}\``)), []);
});

const EMPTY: Comparison = {
  change: "within noise",
  details: "0 endpoints slower",
  metrics: [],
  endpoints: [],
  warnings: [],
  runs: ["a.json", "b.json"].map((file) => ({ file, summary: BUSY })),
  sections: [],
};

Deno.test("comparisonMarkdown shows the text of a comparison in a block that no text can end", () => {
  const names = ["</pre><img src=x>", "@someone #1 ![x](y)"];
  const section = tableSection("Endpoints", [{ title: "Request", cell: nameCell }], names);
  assertEquals(
    comparisonMarkdown({
      ...EMPTY,
      change: "worse",
      warnings: ["other <target>"],
      sections: [section],
    }),
    `## ❌ Worse

<pre>
Runs
  1. a.json · 2026-11-21 10:00:00 UTC · ✗ Failed
  2. b.json · 2026-11-21 10:00:00 UTC · ✗ Failed

Endpoints
  Request
  &lt;/pre&gt;&lt;img src=x&gt;
  @someone #1 ![x](y)

warning: other &lt;target&gt;
worse: 0 endpoints slower
</pre>
`,
  );
});

const ENVIRONMENT: RunEnvironment = {
  version: "0.1.0",
  plan: "shop.yaml",
  targets: ["http://127.0.0.1:8080"],
  options: ["--vus 2"],
  cores: 4,
  workers: 1,
};

Deno.test("comparisonAnnotations maps the verdict to a severity and escapes strings", () => {
  const lines = (change: Comparison["change"], environment?: RunEnvironment) => {
    const runs = EMPTY.runs.map((run) => ({ ...run, summary: { ...run.summary, environment } }));
    const found = { ...EMPTY, change, warnings: ["b: 5%\n::error::x"], runs };
    return comparisonAnnotations(found).split("\n");
  };
  assertEquals(
    lines("worse", ENVIRONMENT)[0],
    "::error file=shop.yaml,title=Comparison%3A worse::0 endpoints slower",
  );
  assertEquals(lines("not comparable")[0].split(" ")[0], "::warning");
  assertEquals(lines("better").slice(0, 2), [
    "::notice title=Comparison%3A better::0 endpoints slower",
    "::warning title=Comparison::b: 5%25%0A::error::x",
  ]);
});

const BEFORE = longSummary({ seconds: 60, endpoints: 6 });
const SLOWER = longSummary({ seconds: 60, endpoints: 7, slower: 1.5, seed: 2 });

async function pageOf(before: Summary, after: Summary) {
  const runs = [{ file: "a.json", summary: before }, { file: "b.json", summary: after }];
  const page = parseHtml(await comparisonPage(describeComparison(runs)));
  return (selector: string, attribute?: string) => [...selectCss(selector, attribute, page)];
}

Deno.test("comparisonPage marks a slower run and its slower endpoints, and shows the metrics of both summaries", async () => {
  const select = await pageOf(BEFORE, SLOWER);
  assertStringIncludes(
    select(".verdict")[0],
    "✗ Worse all requests slower (p50, p90, p95, p99, corrected p50, corrected p99), 6 endpoints",
  );
  const p95 = select('[aria-label="Endpoints"] td:nth-child(5)', "data-value").map(Number);
  const known = BEFORE.endpoints.map(({ http_req_duration }) => http_req_duration["p(95)"]);
  assertEquals(p95.toSorted((a, b) => a - b), [-1, ...known].toSorted((a, b) => a - b));
  assertEquals(select('[aria-label="Endpoints"] td:last-child').at(-1), "only after");
  const [p99] = select('[aria-label="All requests"] tr:nth-child(7) td', "data-value").map(Number);
  assertEquals(p99, (BEFORE.metrics.http_req_duration as { "p(99)": number })["p(99)"]);
  const faster = await pageOf(SLOWER, BEFORE);
  assertStringIncludes(faster(".verdict")[0], "✓ Better all requests faster (p50, ");
});

Deno.test("comparisonPage shows the file names and warns if targets or options differ", async () => {
  const of = (changes: Partial<RunEnvironment>) =>
    pageOf(
      { ...BEFORE, environment: ENVIRONMENT },
      { ...SLOWER, environment: { ...ENVIRONMENT, ...changes } },
    );
  const same = await of({});
  const conditions = "http://127.0.0.1:8080 · shop.yaml · rehearse 0.1.0";
  const [before, after] = same("header p.faint");
  assert(before.startsWith("Before: a.json · ") && before.includes(conditions), before);
  assert(after.startsWith("After: b.json · "), after);
  const warned = (select: typeof same) => select("header .warnings li");
  assertEquals(warned(same).filter((text) => text.includes("different")), []);
  assertStringIncludes(warned(same)[0], "a.json: browse: 5 iterations dropped");
  const other = await of({ targets: ["http://127.0.0.1:9"], options: [] });
  assertEquals(warned(other).filter((text) => text.includes("different")), [
    "the runs had different targets: http://127.0.0.1:8080 in a.json; http://127.0.0.1:9 in b.json",
    "the runs had different options: --vus 2 in a.json; none in b.json",
  ]);
});

Deno.test("comparisonPage of three runs lists the changes and the metrics of each run, and escapes names", async () => {
  const runs = withCut(hostileRuns(3, 0.25, 4)).map(({ summary }, i) => ({
    file: `<img src=x>${i}.json`,
    summary,
  }));
  const text = await comparisonPage(describeComparison(runs));
  assertEquals(text.includes("<img"), false);
  const page = parseHtml(text);
  const select = (selector: string) => [...selectCss(selector, undefined, page)];
  assertMatch(select(".verdict")[0].trim(), /^✗ Worse all requests slower/);
  assertMatch(select('[aria-label="All requests"] tr:nth-child(4) td')[3], /slower/);
  assertEquals(select("#runs tbody td:nth-child(2)"), runs.map(({ file }) => file));
  const p50 = select("#runs tbody td:nth-child(3)");
  assertEquals(p50.map((cell) => cell === "–"), [false, true, false]);
});

/**
 * Creates runs with the same load. The response times of run `i` are `1 + step * i` times those of
 * run 0.
 */
function runs(count: number, step: number): ComparedRun[] {
  return Array.from({ length: count }, (_, i) => ({
    file: `${i + 1}.json`,
    summary: longSummary({ seconds: 60, endpoints: 3, slower: 1 + step * i, seed: i + 1 }),
  }));
}

function change(run: ComparedRun, changes: Partial<Summary>): ComparedRun {
  return { ...run, summary: { ...run.summary, ...changes } };
}

Deno.test("several runs are within noise if the target has not changed", () => {
  const { change, sections } = describeComparison(runs(3, 0));
  assertEquals(change, "within noise");
  const [title, ...lines] = printText(sections.slice(0, 1), style(false, Infinity));
  assertEquals(title, "Runs");
  assertMatch(lines[0], /^ {2}Run {2}File +p50 +p95 +p99 /);
  assertEquals(lines.slice(1, 4).map((line) => line.split(/ +/)[2]), [
    "1.json",
    "2.json",
    "3.json",
  ]);
});

Deno.test("the last run is compared with the first run, so that small regressions add up", () => {
  assertEquals(describeComparison(runs(4, 0.15)).change, "worse");
});

Deno.test("the history ignores incomplete runs, and response times of runs without a response", () => {
  const [first, cut, dead, ...rest] = runs(6, 0);
  const found = describeComparison([
    first,
    change(cut, { ending: "interrupted" }),
    change(dead, { failure: "no request got a response", passed: false }),
    ...rest,
  ]);
  const [p50, , , failed] = found.history!;
  const isKnown = p50.values.map((value) => value !== undefined);
  assertEquals(isKnown, [true, false, false, true, true, true]);
  assertEquals(failed.values[1], undefined);
  assertEquals(found.change, "within noise");
});
