import type { EndpointStats, Summary, ThresholdVerdict } from "../../../engine/summary/summary.ts";
import { failedShare } from "../../summary_stats.ts";
import { runDifferences } from "../../run_warnings.ts";
import { percent } from "../../../base/format.ts";
import { describeValue, groupPath } from "../../summary_words.ts";

import { type ChangeVerdict, relativeChange } from "./change.ts";
import { chartGrid } from "../chart.ts";
import { type ComparedEndpoint, comparedEndpoints } from "./compared_endpoints.ts";
import {
  compareRuns,
  earlierThresholds,
  type RunChange,
  type RunComparison,
  thresholdKey,
} from "./compare_runs.ts";
import { comparedTotals } from "./compared_totals.ts";
import { comparisonCharts } from "./comparison_charts.ts";
import { document, htmlSection } from "../document.ts";
import { type Markup, markup } from "../markup.ts";
import { countCell, type HtmlCell, htmlTable, shareCell, timeCell } from "../html_table.ts";
import {
  environmentLine,
  formatTime,
  thresholdCounts,
  title,
  warningList,
} from "../verdict_head.ts";

const NOISE =
  "A change is significant if the 99% confidence intervals do not overlap and it is at least 5%. " +
  "Machines and caches also vary between runs, so repeat the runs before you rely on a result.";

/** File names of the two summaries. */
export type SummaryFiles = readonly [before: string, after: string];

/** Creates a self-contained HTML page that compares two runs and marks significant changes. */
export async function comparisonReport(
  before: Summary,
  after: Summary,
  files?: SummaryFiles,
): Promise<string> {
  const endpoints = comparedEndpoints(before, after);
  const charts = comparisonCharts([before, after]);
  const ofTime = charts.charts.filter(({ axis }) => axis === "seconds");
  const others = charts.charts.slice(ofTime.length);
  const body = [
    head(before, after, compareRuns(before, after, endpoints), files),
    htmlSection("All requests", totalsTable(before, after), NOISE),
    htmlSection("Thresholds", thresholdTable(before, after)),
    htmlSection("Over time", ofTime.length > 0 ? chartGrid(ofTime) : undefined),
    htmlSection("Distribution", others.length > 0 ? chartGrid(others, ofTime.length) : undefined),
    htmlSection("Endpoints", endpointTable(endpoints)),
  ];
  return await document({ title: `${title(after.name)}, compared: rehearse`, body, charts });
}

const HEADS: Readonly<Record<RunChange, [tone: "good" | "bad" | "", word: string]>> = {
  worse: ["bad", "✗ Worse"],
  better: ["good", "✓ Better"],
  "within noise": ["", "No change beyond noise"],
  "not comparable": ["", "Not comparable"],
};

function head(
  before: Summary,
  after: Summary,
  { change, details }: RunComparison,
  files?: SummaryFiles,
): Markup {
  const [tone, word] = HEADS[change];
  return markup`
    <header>
      <p class="verdict ${tone}"><strong>${word}</strong> ${details}</p>
      <h1>${title(after.name)}</h1>
      ${run("Before", before, files?.[0])}
      ${run("After", after, files?.[1])}
      ${warningList(runDifferences(before, after).map((text) => ({ text })))}
    </header>
  `;
}

function run(when: string, summary: Summary, file?: string): Markup {
  const [, word] = thresholdCounts(summary);
  const parts = [file, title(summary.name), formatTime(summary.started_at), word];
  return markup`
    <p class="faint">${when}: ${parts.filter(Boolean).join(", ")}</p>
    ${environmentLine(summary)}
  `;
}

function totalsTable(before: Summary, after: Summary): Markup | undefined {
  return htmlTable(
    [
      { title: "Metric", cell: ({ label }) => label },
      { title: "Before", cell: (row) => row.before },
      { title: "After", cell: (row) => row.after },
      { title: "Change", cell: (row) => changed(row.before.value, row.after.value) },
      {
        title: "Result",
        cell: ({ label, verdict }) => verdict && verdictCell(verdict, ...verdictWords(label)),
      },
    ],
    comparedTotals(before, after),
    { caption: "All requests" },
  );
}

function endpointTable(endpoints: readonly ComparedEndpoint[]): Markup | undefined {
  const p95 = (stats: EndpointStats | undefined) => stats?.http_req_duration["p(95)"];
  const failed = (stats: EndpointStats | undefined) => stats && failedShare(stats);
  const number = (value: number | undefined, write: (n: number) => HtmlCell): HtmlCell =>
    value === undefined ? { content: "–", value: -1 } : write(value);
  return htmlTable<ComparedEndpoint>(
    [
      {
        title: "Request",
        cell: ({ name, scenario, group }) =>
          markup`<code>${name}</code> <small>${groupPath(scenario, group)}</small>`,
      },
      { title: "Requests before", cell: ({ before }) => number(before?.count, countCell) },
      { title: "after", cell: ({ after }) => number(after?.count, countCell) },
      { title: "p95 before", cell: ({ before }) => number(p95(before), timeCell) },
      { title: "after", cell: ({ after }) => number(p95(after), timeCell) },
      { title: "change", cell: ({ before, after }) => changed(p95(before), p95(after)) },
      {
        title: "result",
        cell: (row) => row.before && row.after ? verdictCell(row.p95) : only(row),
      },
      { title: "Failed before", cell: ({ before }) => number(failed(before), shareCell) },
      { title: "after", cell: ({ after }) => number(failed(after), shareCell) },
      {
        title: "result",
        cell: (row) => row.before && row.after ? verdictCell(row.failed, "fewer", "more") : "",
      },
    ],
    endpoints,
    { caption: "Endpoints", sortable: true, filter: "Filter endpoints" },
  );
}

function only({ before }: ComparedEndpoint): string {
  return before ? "only before" : "only after";
}

function changed(before: number | undefined, after: number | undefined): HtmlCell {
  const share = before === undefined || after === undefined
    ? undefined
    : relativeChange(before, after);
  if (share === undefined) return { content: "–", value: 0 };
  const sign = share < 0 ? "−" : "+";
  return { content: `${sign}${percent(Math.abs(share))}`, value: share };
}

/** Returns the words for a better and a worse value of the metric with this label. */
function verdictWords(label: string): [better: string, worse: string] {
  return label.startsWith("Failed") ? ["fewer", "more"] : ["faster", "slower"];
}

function verdictCell(verdict: ChangeVerdict, better = "faster", worse = "slower"): HtmlCell {
  if (verdict === "worse") return { content: `✗ ${worse}`, tone: "bad" };
  if (verdict === "better") return { content: `✓ ${better}`, tone: "good" };
  return { content: "within noise", tone: "faint" };
}

function thresholdTable(before: Summary, after: Summary): Markup | undefined {
  const early = earlierThresholds(before);
  const cell = (verdict: ThresholdVerdict | undefined): HtmlCell =>
    verdict === undefined || verdict.passed === null
      ? { content: verdict ? describeValue(verdict) : "–", tone: "faint" }
      : {
        content: `${verdict.passed ? "✓" : "✗"} ${describeValue(verdict)}`,
        tone: verdict.passed ? "good" : "bad",
      };
  return htmlTable(
    [
      { title: "Metric", cell: ({ metric }) => markup`<code>${metric}</code>` },
      { title: "Threshold", cell: ({ expression }) => markup`<code>${expression}</code>` },
      { title: "Before", cell: (verdict) => cell(early.get(thresholdKey(verdict))) },
      { title: "After", cell },
    ],
    after.thresholds,
    { caption: "Thresholds" },
  );
}
