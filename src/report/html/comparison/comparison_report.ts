import type { EndpointStats } from "../../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../../engine/summary/summary.ts";
import { failedShare } from "../../summary_stats.ts";
import { relativeChange } from "../../compare/change.ts";
import {
  type ComparedEndpoint,
  comparedEndpoints,
  type TimeVerdict,
  timeVerdict,
} from "../../compare/compared_endpoints.ts";
import { comparedTotals } from "../../compare/compared_totals.ts";
import { compareRuns, earlierThresholds, thresholdKey } from "../../compare/compare_runs.ts";
import {
  type ComparisonCell,
  FAILURE_WORDS,
  TIME_WORDS,
  verdictText,
  type VerdictWords,
} from "../../compare/comparison_tables.ts";
import type { ComparedRun } from "../../compare/run_differences.ts";
import { changeText } from "../../compare/unit.ts";
import { describeValue, groupPath } from "../../summary_words.ts";
import { chartGrid } from "../chart.ts";
import { comparisonCharts } from "./comparison_charts.ts";
import { comparisonHead } from "./comparison_head.ts";
import { document, htmlSection } from "../document.ts";
import { type Markup, markup } from "../markup.ts";
import {
  countCell,
  type HtmlCell,
  htmlTable,
  shareCell,
  timeCell,
  unitCell,
} from "../html_table.ts";
import { title } from "../verdict_head.ts";

/** Number of endpoints to show at first. */
const FIRST_ROWS = 20;

const NOISE =
  "A change is significant if it is at least 5% and the 99% confidence intervals do not overlap. " +
  "A change in a response time must also be at least 0.1 ms. " +
  "If an endpoint has too few requests for p95, a significant change in p50 decides. " +
  "Machines and caches also vary between runs, so repeat the runs before you rely on a result.";

/** Creates a self-contained HTML page that compares two runs and marks significant changes. */
export async function comparisonReport(
  runs: readonly [before: ComparedRun, after: ComparedRun],
): Promise<string> {
  const [before, after] = runs.map(({ summary }) => summary);
  const endpoints = comparedEndpoints(before, after);
  const { change, details } = compareRuns(before, after, endpoints);
  const charts = comparisonCharts([before, after]);
  const ofTime = charts.charts.filter(({ axis }) => axis === "seconds");
  const others = charts.charts.slice(ofTime.length);
  const body = [
    comparisonHead(change, [details], runs, ["Before", "After"]),
    htmlSection("All requests", totalsTable(before, after), NOISE),
    htmlSection("Thresholds", thresholdTable(before, after)),
    htmlSection("Over time", ofTime.length > 0 ? chartGrid(ofTime) : undefined),
    htmlSection(
      "Distribution",
      others.length > 0 ? chartGrid(others, { from: ofTime.length }) : undefined,
    ),
    htmlSection("Endpoints", endpointTable(endpoints)),
  ];
  return await document({ title: `${title(after.name)}, compared: rehearse`, body, charts });
}

function totalsTable(before: Summary, after: Summary): Markup | undefined {
  return htmlTable(
    [
      { title: "Metric", cell: ({ label }) => label },
      { title: "Before", cell: ({ before, unit }) => unitCell(before, unit) },
      { title: "After", cell: ({ after, unit }) => unitCell(after, unit) },
      { title: "Change", cell: ({ before, after }) => changed(before, after) },
      {
        title: "Result",
        cell: ({ unit, verdict }) =>
          verdict && verdictCell(verdict, unit === "share" ? FAILURE_WORDS : TIME_WORDS),
      },
    ],
    comparedTotals(before, after),
    { caption: "All requests" },
  );
}

function endpointTable(endpoints: readonly ComparedEndpoint[]): Markup | undefined {
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
      { title: "Time", cell: ({ time }) => time.percentile ?? "–" },
      { title: "before", cell: ({ time }) => number(time.before, timeCell) },
      { title: "after", cell: ({ time }) => number(time.after, timeCell) },
      { title: "change", cell: ({ time }) => changed(time.before, time.after) },
      {
        title: "result",
        cell: (row) =>
          row.before && row.after ? verdictCell(timeVerdict(row), TIME_WORDS) : only(row),
      },
      { title: "Failed before", cell: ({ before }) => number(failed(before), shareCell) },
      { title: "after", cell: ({ after }) => number(failed(after), shareCell) },
      {
        title: "result",
        cell: (row) => row.before && row.after ? verdictCell(row.failed, FAILURE_WORDS) : "",
      },
    ],
    endpoints,
    { caption: "Endpoints", sortable: true, filter: "Filter endpoints", first: FIRST_ROWS },
  );
}

function only({ before }: ComparedEndpoint): string {
  return before ? "only before" : "only after";
}

function changed(before: number | undefined, after: number | undefined): HtmlCell {
  const share = before === undefined || after === undefined
    ? undefined
    : relativeChange(before, after);
  return { content: changeText(share), value: share ?? 0 };
}

function verdictCell(verdict: TimeVerdict, words: VerdictWords): HtmlCell {
  return cellOf(verdictText(verdict, words));
}

function cellOf({ text, ...tone }: ComparisonCell): HtmlCell {
  return { content: text, ...tone };
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
