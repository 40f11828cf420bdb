import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Histogram } from "../../src/base/histogram.ts";
import { REPOSITORY, VERSION } from "../../src/base/release.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { gateResult } from "../../src/cli/commands/report.ts";
import { Counts } from "../../src/engine/metrics/counts.ts";
import { addTime, mark, MetricSet } from "../../src/engine/metrics/metrics.ts";
import type { MetricData } from "../../src/engine/metrics/snapshot.ts";
import { metricValues } from "../../src/engine/outputs/outputs.ts";
import { prometheusText } from "../../src/engine/outputs/prometheus.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { type MetricName, METRICS } from "../../src/plan/text/metrics.ts";
import { githubAnnotations, junitXml } from "../../src/report/ci.ts";
import { bannerLines } from "../../src/report/html/print_html.ts";
import { runBanner } from "../../src/report/html/run_head.ts";
import { codeSpans } from "../../src/report/markup.ts";
import { liveMetrics } from "../../src/report/stats.ts";
import { verdictDoubts } from "../../src/report/summary_words.ts";
import { renderSummary } from "../../src/report/text/render_summary.ts";
import { progressAt } from "../builders/progress.ts";
import { BUSY } from "../builders/summary.ts";

const [scenario] = BUSY.scenarios;
const PASSED: Summary = {
  ...BUSY,
  passed: true,
  thresholds: BUSY.thresholds.slice(0, 1),
  scenarios: [{ ...scenario, started: 107, iterations: 107, interrupted: 0, dropped: 192 }],
};
const FEW = "scenario browse: only 107 of 299 planned iterations started (35.79%)";
const INCOMPLETE: Summary = { ...PASSED, passed: null, incomplete: [FEW] };

Deno.test("with `--allow incomplete`, the verdict states how many planned iterations started", () => {
  assertEquals(verdictDoubts(PASSED), [FEW]);
  const text = renderSummary(PASSED, { color: false, width: 80 });
  assertMatch(text, new RegExp(`\\n✓ PASSED 1 threshold; ⚠ ${FEW.replace(/[()]/g, "\\$&")}\\n$`));
  assertStringIncludes(
    bannerLines(runBanner(PASSED)).text,
    `1 threshold passed; <strong class="bad">⚠ ${FEW}</strong></p>`,
  );
});

Deno.test("all reports of an incomplete run state the reason", () => {
  assertEquals(verdictDoubts(INCOMPLETE), []);
  const text = renderSummary(INCOMPLETE, { color: false, width: 80 });
  assertStringIncludes(text, FEW);
  assertMatch(text, /\n✗ INCOMPLETE, unless `--allow incomplete` accepts it\n$/);
  assertStringIncludes(bannerLines(runBanner(INCOMPLETE)).text, "✗ Incomplete</strong>");
  assertStringIncludes(bannerLines(runBanner(INCOMPLETE)).text, `<p class="bad">${FEW}</p>`);
  assertStringIncludes(
    junitXml(INCOMPLETE),
    `<testcase classname="run" name="complete: ${FEW}">\n      <failure `,
  );
  assertStringIncludes(
    githubAnnotations(INCOMPLETE, "plan.yaml"),
    "::error file=plan.yaml,title=Run incomplete::scenario browse",
  );
  assertEquals(gateResult({ file: "a.json", summary: INCOMPLETE }), {
    code: 4,
    line: `incomplete: a.json: ${FEW}\n`,
  });
});

Deno.test("the verdict of a passed run states how many VUs started", () => {
  const late = { ...scenario, dropped: 0, max_vus: 100, unstarted_vus: 40, start_delay_ms: 5_000 };
  assertEquals(verdictDoubts({ ...PASSED, scenarios: [late] }), [
    "scenario browse: only 60 of 100 VUs started (60.00%)",
  ]);
  const few = { ...late, unstarted_vus: 1, start_delay_ms: 0 };
  assertEquals(verdictDoubts({ ...PASSED, scenarios: [few] }), []);
});

Deno.test("the verdict of a passed run states that it is based on one request", () => {
  const quiet = {
    ...PASSED,
    checks: [],
    scenarios: [],
    endpoints: [{ ...BUSY.endpoints[0], count: 1, failed: 0, statuses: { "200": 1 } }],
  };
  assertEquals(verdictDoubts(quiet), ["from 1 request"]);
  assertStringIncludes(githubAnnotations(quiet, "plan.yaml"), "1 threshold passed; from 1 request");
  assertEquals(verdictDoubts({ ...quiet, thresholds: [], passed: null }), []);
});

Deno.test("the verdict states that most requests failed, unless a threshold limits these failures", () => {
  const [endpoint] = BUSY.endpoints;
  const broken = {
    ...PASSED,
    checks: [],
    scenarios: [],
    passed: null,
    thresholds: [],
    endpoints: [{ ...endpoint, count: 300, failed: 160 }],
  };
  const doubt = "160 of 300 requests failed (53.33%)";
  assertEquals(verdictDoubts(broken), [doubt]);
  assertMatch(
    renderSummary(broken, { color: false, width: 80 }),
    /\nDONE, no thresholds; ⚠ 160 of 300 requests failed \(53\.33%\)\n$/,
  );
  assertEquals(
    verdictDoubts({ ...broken, endpoints: [{ ...endpoint, count: 300, failed: 150 }] }),
    [],
  );
  const [threshold] = PASSED.thresholds;
  const judged = { ...threshold, metric: "http_req_failed{name:GET /a}" };
  assertEquals(verdictDoubts({ ...broken, passed: true, thresholds: [judged] }), []);
  assertEquals(verdictDoubts({ ...broken, passed: true, thresholds: [threshold] }), [doubt]);
});

Deno.test("the verdict of a failed or incomplete run contains no reasons to doubt it", () => {
  assertEquals(verdictDoubts({ ...PASSED, passed: false }), []);
  assertEquals(verdictDoubts({ ...PASSED, passed: null, ending: "interrupted" }), []);
});

Deno.test("the verdict states that no response was compared with the recording", () => {
  const unknown: Summary = { ...PASSED, scenarios: [], checks: [], unchecked: true };
  assertEquals(verdictDoubts(unknown), ["the responses were not checked"]);
  const text = renderSummary({ ...unknown, passed: null, thresholds: [] }, {
    color: false,
    width: 80,
  });
  assertMatch(text, /\nDONE, no thresholds; ⚠ the responses were not checked\n$/);
  assertStringIncludes(text.replace(/\s+/g, " "), "`convert --checks status`");
});

Deno.test("the verdict states how many checks failed if there are no thresholds", () => {
  const [check] = BUSY.checks;
  const checks = [{ ...check, passes: 37, fails: 3 }, { ...check, passes: 10, fails: 0 }];
  const failed: Summary = { ...PASSED, scenarios: [], passed: null, thresholds: [], checks };
  assertEquals(verdictDoubts(failed), ["3 of 50 checks failed (6.00%)"]);
  assertEquals(verdictDoubts({ ...failed, checks: checks.slice(1) }), []);
  assertEquals(verdictDoubts({ ...failed, passed: true, thresholds: PASSED.thresholds }), []);
});

Deno.test("the verdict counts requests that were not sent as failed requests", () => {
  const [endpoint] = BUSY.endpoints;
  const unsent = {
    ...PASSED,
    checks: [],
    scenarios: [],
    passed: null,
    thresholds: [],
    endpoints: [{ ...endpoint, count: 8, failed: 18, unsent: 16 }],
  };
  assertEquals(verdictDoubts(unsent), ["18 of 24 requests failed (75.00%)"]);
});

Deno.test("the verdict states that most WebSocket sessions failed, unless a threshold limits these failures", () => {
  const failed: Summary = {
    ...PASSED,
    scenarios: [],
    metrics: { ...PASSED.metrics, ws_session_failed: { passes: 3, fails: 1, value: 0.75 } },
  };
  assertEquals(verdictDoubts(failed), ["3 of 4 WebSocket sessions failed (75.00%)"]);
  const [threshold] = failed.thresholds;
  const judged = { ...failed, thresholds: [{ ...threshold, metric: "ws_session_failed" }] };
  assertEquals(verdictDoubts(judged), []);
  const half = { ...failed.metrics, ws_session_failed: { passes: 1, fails: 1, value: 0.5 } };
  assertEquals(verdictDoubts({ ...failed, metrics: half }), []);
});

const read = (path: string) => Deno.readTextFile(new URL(`../../docs/${path}`, import.meta.url));

/** Returns the names of all time series that a run can export to Prometheus. */
function knownNames(): Set<string> {
  const set = new MetricSet([], new Counts());
  for (const name of METRICS.keys()) {
    for (const metric of set.resolve(name as MetricName, {})) {
      if (metric.kind === "rate") mark([metric], true);
      if (metric.kind === "trend") addTime([metric], 1);
    }
  }
  const metrics: Record<string, MetricData> = set.data();
  const histogram = new Histogram().data();
  const key = { scenario: "s", group: "", name: "n", method: "GET" };
  const counts = { count: 1, failed: 0, bytes_sent: 1, bytes_received: 1, statuses: {} };
  const values = metricValues(metrics, {
    checks: [],
    errors: [],
    failures: [],
    groups: [],
    endpoints: [{ ...key, ...counts, histogram }],
    scenarios: [],
  });
  const text = prometheusText(values);
  return new Set([...text.matchAll(/^(rehearse_\w+)/gm)].map(([, name]) => name));
}

Deno.test("the Grafana dashboard queries only time series that a run exports", async () => {
  const { panels } = JSON.parse(await read("grafana-dashboard.json"));
  const known = knownNames();
  const asked = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.flatMap(({ expr }) => [...expr.matchAll(/rehearse_\w+/g)].map(([name]) => name))
  );
  assert(asked.length > 15);
  assertEquals(asked.filter((name: string) => !known.has(name)), []);
  const ids = panels.map(({ id }: { id: number }) => id);
  assertEquals(new Set(ids).size, ids.length);
});

Deno.test("the example workflow passes only inputs of the GitHub Action", async () => {
  const { jobs } = parseYaml(await read("github-action.yml")) as {
    jobs: Record<string, { steps: { uses?: string; with?: Record<string, string> }[] }>;
  };
  const { inputs } = parseYaml(await read("../action.yml")) as { inputs: Record<string, unknown> };
  const slug = new URL(REPOSITORY).pathname.slice(1);
  const used = Object.values(jobs).flatMap(({ steps }) => steps)
    .filter(({ uses }) => uses === `${slug}@v${VERSION}`);
  const names = ["plan", "base-url", "args"];
  assertEquals(used.map((step) => Object.keys(step.with ?? {})), [names]);
  assert(names.every((name) => Object.hasOwn(inputs, name)));
  assertEquals(used[0].with?.args, "--duration=10m");
});

Deno.test("codeSpans renders parts in backticks as code, and escapes them", () => {
  assertEquals(
    codeSpans("raise `max_vus` `<b>` or `x").text,
    "raise <code>max_vus</code> <code>&lt;b&gt;</code> or `x",
  );
});

Deno.test("liveMetrics marks percentiles whose threshold currently fails", () => {
  const marked = (expression: string, passed: boolean | null, metric = "http_req_duration") => {
    const thresholds = [{ ...BUSY.thresholds[0], metric, expression, passed }];
    const metrics = liveMetrics(progressAt(1_000, { thresholds, failed: 0, dropped: 0 }));
    return metrics.filter(({ bad }) => bad).map(({ label }) => label);
  };
  assertEquals(marked("p(95)<400", false), ["p95"]);
  assertEquals(marked(" p(99.0) < 400", false), ["p99"]);
  assertEquals(marked("med<400", false), ["p50"]);
  assertEquals(marked("p(99.9)<400", false), []);
  assertEquals(marked("p(95)<400", true), []);
  assertEquals(marked("p(95)<400", null), []);
  assertEquals(marked("p(95)<400", false, "http_req_duration{name:a}"), []);
});
