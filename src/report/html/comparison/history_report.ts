import { type DriftVerdict, MIN_DRIFT_RUNS } from "../../compare/drift.ts";
import {
  type ComparisonCell,
  FAILURE_WORDS,
  TIME_WORDS,
  verdictText,
} from "../../compare/comparison_tables.ts";
import { judgeHistory, probabilityText, type RunHistory } from "../../compare/judge_history.ts";
import { relativeChange } from "../../compare/change.ts";
import type { ComparedRun } from "../../compare/run_differences.ts";
import type { EndpointHistory, MetricHistory } from "../../compare/run_history.ts";
import { changeText, type Unit } from "../../compare/unit.ts";
import { formatTime, groupPath, thresholdCounts } from "../../summary_words.ts";
import { document, htmlSection } from "../document.ts";
import { countCell, type HtmlCell, htmlTable, unitCell } from "../html_table.ts";
import { type Markup, markup } from "../markup.ts";
import { title } from "../verdict_head.ts";
import { comparisonHead } from "./comparison_head.ts";
import { historyChart, historyLine } from "./history_chart.ts";

const CHANGE_NOTE =
  "Metrics that changed significantly in the last run, with their 99% confidence intervals, and " +
  "newly failing thresholds.";

const DRIFT_NOTE =
  `A metric drifts if, over at least ${MIN_DRIFT_RUNS} runs, it rises or falls more often than chance ` +
  "can explain (Mann–Kendall test; 1% of the drifts found are expected to be false), and if the fitted " +
  "line changes by at least 5%. A different machine or load can also cause a drift. Incomplete " +
  "runs do not count.";

const CHART_NOTE =
  "The bars are 99% confidence intervals; a bar without an upper bound ends at the top edge. A dashed line shows a drift.";

/** Minimum number of endpoints for the table to have a search field. */
const MIN_ROWS_FOR_FILTER = 12;
/** Number of rows that the table of endpoints shows at first. */
const FIRST_ROWS = 20;
/** Number of changes to show at first for each earlier run. */
const FIRST_CHANGES = 3;

/** Creates a self-contained HTML page that shows how metrics changed over at least three runs. */
export async function historyReport(runs: readonly ComparedRun[]): Promise<string> {
  const history = judgeHistory(runs);
  const { change, reasons, metrics, endpoints } = history;
  const files = runs.map(({ file }) => file);
  const charts = metrics.filter(({ unit }) => unit !== "count")
    .map((metric) => historyChart(metric, files));
  const body = [
    comparisonHead(change, reasons, runs, runs.map((_, i) => `Run ${i + 1}`)),
    htmlSection("Changes", changeTables(history), CHANGE_NOTE),
    htmlSection("Runs", runsTable(history)),
    htmlSection("Over the runs", markup`<div class="charts">${charts}</div>`, CHART_NOTE),
    htmlSection("Drift", driftTable(metrics), DRIFT_NOTE),
    htmlSection("Endpoints", endpointTable(endpoints)),
  ];
  const name = title(runs[runs.length - 1].summary.name);
  return await document({ title: `${name}, ${runs.length} runs: rehearse`, body });
}

/** Renders the changes that lead to the verdict. Returns undefined if there are no changes. */
function changeTables({ changes }: RunHistory): Markup | undefined {
  if (changes.length === 0) return undefined;
  const tables = changes.map(({ title, columns, rows, note }) => {
    const cells = columns.map((title, i) => ({
      title,
      cell: (row: readonly ComparisonCell[]): HtmlCell => {
        const { text, tone, isName } = row[i];
        return { content: isName ? markup`<code>${text}</code>` : text, ...(tone && { tone }) };
      },
    }));
    const more = note === undefined ? undefined : markup`<p class="faint">${note}</p>`;
    const table = htmlTable(cells, rows, { caption: title, first: FIRST_CHANGES });
    return markup`<h3>${title}</h3>${table}${more}`;
  });
  return markup`${tables}`;
}

function runsTable({ runs, metrics }: RunHistory): Markup | undefined {
  const rows = runs.map((run, i) => ({ ...run, i }));
  return htmlTable(
    [
      { title: "Run", cell: ({ i }) => ({ content: String(i + 1), value: i + 1 }) },
      { title: "File", cell: ({ file }) => markup`<code>${file}</code>` },
      { title: "Started", cell: ({ summary }) => formatTime(summary.started_at) },
      ...metrics.map(({ label, values, unit }) => ({
        title: label,
        cell: ({ i }: { readonly i: number }) => numberCell(values[i]?.value, unit),
      })),
      {
        title: "Result",
        cell: ({ summary }): HtmlCell => {
          const [tone, content] = thresholdCounts(summary);
          return tone === "" ? { content } : { content, tone };
        },
      },
    ],
    rows,
    { caption: "Runs", sortable: true },
  );
}

function driftTable(metrics: readonly MetricHistory[]): Markup | undefined {
  return htmlTable(
    [
      { title: "Metric", cell: ({ label }) => label },
      {
        title: "From",
        cell: ({ drift, unit }) => numberCell(drift.runs > 0 ? drift.from : undefined, unit),
      },
      {
        title: "To",
        cell: ({ drift, unit }) => numberCell(drift.runs > 0 ? drift.to : undefined, unit),
      },
      {
        title: "Change",
        cell: ({ drift }) => {
          const change = relativeChange(drift.from, drift.to);
          return { content: changeText(change), value: change ?? 0 };
        },
      },
      {
        title: "Evidence",
        hint: "Pairs of runs in which the later run has a higher or a lower value",
        cell: ({ drift: { runs, trend: { rises, falls, pairs, p } } }) =>
          `${runs} runs; of ${pairs} pairs, ${rises} rise and ${falls} fall; ${probabilityText(p)}`,
      },
      { title: "Result", cell: ({ drift, unit }) => verdictCell(drift.verdict, unit) },
    ],
    metrics.flatMap(({ drift, ...metric }) => drift === undefined ? [] : [{ ...metric, drift }]),
    { caption: "Drift" },
  );
}

function endpointTable(endpoints: readonly EndpointHistory[]): Markup | undefined {
  const metricColumns = (read: (row: EndpointHistory) => EndpointHistory["p95"], label: string) => [
    { title: label, cell: (row: EndpointHistory) => historyLine(read(row)) },
    {
      title: "First",
      cell: (row: EndpointHistory) => numberCell(read(row).values[0]?.value, read(row).unit),
    },
    {
      title: "Last",
      cell: (row: EndpointHistory) => numberCell(read(row).values.at(-1)?.value, read(row).unit),
    },
    {
      title: "Drift",
      cell: (row: EndpointHistory) => verdictCell(read(row).drift.verdict, read(row).unit),
    },
  ];
  return htmlTable(
    [
      {
        title: "Request",
        cell: ({ name, scenario, group }) =>
          markup`<code>${name}</code> <small>${groupPath(scenario, group)}</small>`,
      },
      {
        title: "Requests",
        hint: "Requests sent in the last run",
        cell: ({ requests }) => {
          const last = requests.at(-1);
          return last === undefined ? { content: "–", value: -1 } : countCell(last);
        },
      },
      ...metricColumns(({ p95 }) => p95, "p95"),
      ...metricColumns(({ failed }) => failed, "Failed"),
    ],
    endpoints,
    {
      caption: "Endpoints",
      sortable: true,
      first: FIRST_ROWS,
      ...(endpoints.length >= MIN_ROWS_FOR_FILTER && { filter: "Filter endpoints" }),
    },
  );
}

function numberCell(value: number | undefined, unit: Unit): HtmlCell {
  return value === undefined ? { content: "–", value: -1 } : unitCell(value, unit);
}

function verdictCell(verdict: DriftVerdict, unit: Unit): HtmlCell {
  const { text, ...tone } = verdictText(verdict, unit === "share" ? FAILURE_WORDS : TIME_WORDS);
  return { content: text, ...tone };
}
