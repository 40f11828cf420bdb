import { environmentParts, formatTime, thresholdCounts } from "../summary_words.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import { annotation, safeJson, safeText, wrapWords } from "../../base/safe_text.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { Banner, Chart, ChartData, Section, Series } from "../blocks.ts";
import { PAGE_WIDTH, preformatted } from "../ci.ts";
import { document } from "../html/print_html.ts";
import { title, warningList } from "../html/run_head.ts";
import { alignCurves, percentileCurve, type SecondRow, secondRows } from "../html/series.ts";
import { markup } from "../markup.ts";
import { printText, style } from "../text/print_blocks.ts";
import type { RunChange } from "./compare_runs.ts";
import type { Comparison } from "./comparison_report.ts";
import type { ComparedRun } from "./run_differences.ts";

/** How each medium shows a verdict. */
interface VerdictLook {
  readonly tone?: "good" | "bad" | "open";
  readonly page: string;
  readonly markdown: string;
  readonly severity: "error" | "warning" | "notice";
}

const LOOKS: Readonly<Record<RunChange, VerdictLook>> = {
  worse: { tone: "bad", page: "✗ Worse", markdown: "❌ Worse", severity: "error" },
  better: { tone: "good", page: "✓ Better", markdown: "✅ Better", severity: "notice" },
  "within noise": {
    page: "No change beyond noise",
    markdown: "➖ No change beyond noise",
    severity: "notice",
  },
  "not comparable": {
    tone: "open",
    page: "Not comparable",
    markdown: "❔ Not comparable",
    severity: "warning",
  },
};

/**
 * Formats the warnings and the verdict of a comparison, one per line. Long lines are wrapped at
 * `width` columns.
 */
export function comparisonVerdict(
  { change, details, warnings }: Comparison,
  color: boolean,
  width = Infinity,
): string {
  const dressed = style(color, width);
  const { tone } = LOOKS[change];
  const wrapped = (text: string, paint: (text: string) => string) =>
    wrapWords(safeText(text), width, 2).map((line) => `${paint(line)}\n`).join("");
  return [
    ...warnings.map((text) =>
      wrapped(`warning: ${text}`, (line) => line.replace(/^warning:/, dressed.open))
    ),
    wrapped(`${change}: ${details}`, tone ? dressed[tone] : String),
  ].join("");
}

/** Formats the runs and the tables of a comparison as text. Tables are at least 80 columns wide. */
export function comparisonText(
  { runs, sections }: Comparison,
  color: boolean,
  width = Infinity,
): string {
  const dressed = style(color, Math.max(80, width));
  const lines = runs.flatMap((run, i) =>
    wrapWords(`${i + 1}. ${safeText(describeRun(run))}`, dressed.width - 2, 3).map((line) =>
      `  ${line}`
    )
  );
  return printText([{ title: "Runs", blocks: [{ lines }] }, ...sections], dressed)
    .map((line) => `${line}\n`).join("");
}

/** Formats a comparison as Markdown: the verdict as a heading, and the text of the comparison. */
export function comparisonMarkdown(found: Comparison): string {
  const text = comparisonText(found, false, PAGE_WIDTH) +
    comparisonVerdict(found, false, PAGE_WIDTH);
  return `## ${LOOKS[found.change].markdown}\n\n${preformatted(text)}`;
}

function lastOf(runs: readonly ComparedRun[]): Summary {
  return runs[runs.length - 1].summary;
}

/**
 * Formats the verdict of a comparison and its warnings as annotations on a GitHub job. They are
 * attached to the plan of the last run, a path in the repository, if it is known.
 */
export function comparisonAnnotations({ change, details, warnings, runs }: Comparison): string {
  const file = lastOf(runs).environment?.plan;
  const title = `Comparison: ${change}`;
  return [
    annotation(LOOKS[change].severity, { file, title }, details),
    ...warnings.map((text) => annotation("warning", { file, title: "Comparison" }, text)),
  ].join("");
}

/** Creates a self-contained HTML page of a comparison, with charts of the first and last run. */
export async function comparisonPage(comparison: Comparison): Promise<string> {
  const { change, details, warnings, runs, sections } = comparison;
  const { tone, page } = LOOKS[change];
  const isPair = runs.length === 2;
  const name = title(lastOf(runs).name);
  const names = isPair ? ["Before", "After"] : runs.map((_, i) => `Run ${i + 1}`);
  const lines = runs.map((run, i) => markup`<p class="faint">${names[i]}: ${describeRun(run)}</p>`);
  const banner: Banner = {
    banner: page,
    tone,
    text: details,
    title: name,
    more: markup`
      ${isPair ? lines : markup`<details><summary>Files and conditions</summary>${lines}</details>`}
      ${warningList(warnings.map((text) => ({ text })))}
    `,
  };
  const charts = comparisonCharts([runs[0].summary, lastOf(runs)]);
  return await document({
    title: `${name}, ${isPair ? "compared" : `${runs.length} runs`}: rehearse`,
    blocks: [banner, ...sections.toSpliced(-1, 0, ...charts.sections)],
    data: charts.data,
  });
}

/** Version of the JSON format of a comparison. It increases when a key is removed or redefined. */
const COMPARISON_SCHEMA = 4;

/**
 * Serializes a comparison as one line of JSON. Shares are from 0 to 1, times are in milliseconds,
 * and the bound of an interval is null if it is infinite.
 */
export function comparisonJson(
  { change, details, warnings, runs, metrics, endpoints, history }: Comparison,
): string {
  return safeJson({
    comparison: COMPARISON_SCHEMA,
    verdict: change,
    details,
    warnings,
    runs: runs.map(runJson),
    metrics,
    endpoints: endpoints.map(({ before, after, ...endpoint }) => ({
      ...endpoint,
      requests: { before: before?.count, after: after?.count },
    })),
    history: history?.map(({ values, ...metric }) => ({
      ...metric,
      values: values.map((estimate) => estimate ?? null),
    })),
  }) + "\n";
}

function runJson({ file, summary }: ComparedRun) {
  const { name, started_at, duration_ms, ending, passed, plan_hash, environment } = summary;
  return { file, name, started_at, duration_ms, ending, passed, plan_hash, environment };
}

const LINES: readonly Pick<Series, "label" | "tone" | "dashed">[] = [
  { label: "before", tone: "three", dashed: true },
  { label: "after", tone: "one" },
];

/** Creates charts that compare two runs. The time axis of each run starts at 0. */
function comparisonCharts(
  runs: readonly Summary[],
): { readonly data: Omit<ChartData, "charts">; readonly sections: readonly Section[] } {
  const timelines = runs.map(({ timeline, duration_ms }) => secondRows(timeline, duration_ms));
  const seconds = [...new Set(timelines.flatMap((points) => points.map(({ at }) => at)))]
    .sort((a, b) => a - b);
  const over = (title: string, unit: Chart["unit"], of: (point: SecondRow) => number | null) => ({
    title,
    axis: "seconds",
    unit,
    series: timelines.map((points, i) => {
      const known = new Map(points.map((point) => [point.at, of(point)]));
      return { ...LINES[i], values: seconds.map((at) => known.get(at) ?? null) };
    }),
  });
  const curves = runs.map(({ histograms }) =>
    percentileCurve(decodeHistogram(histograms.metrics.http_req_duration ?? ""))
  );
  const { x, values } = alignCurves(curves);
  const overTime = seconds.length === 0 ? [] : [
    over("Requests", "rate", ({ requests }) => requests),
    over("p95", "ms", ({ p95, requests }) => requests === 0 ? null : p95),
    over("p50", "ms", ({ p50, requests }) => requests === 0 ? null : p50),
    over("Failed requests", "share", ({ failedShare }) => failedShare),
  ];
  const distribution: Chart[] = x.length === 0 ? [] : [{
    title: "Latency by percentile",
    axis: "percentiles",
    unit: "ms",
    series: LINES.map((line, i) => ({ ...line, values: values[i] })),
  }];
  return {
    data: { axes: { seconds, percentiles: x } },
    sections: [
      { title: "Over time", blocks: [{ charts: overTime }] },
      { title: "Distribution", blocks: [{ charts: distribution }] },
    ],
  };
}

/** Returns the file, the start time, the result and the conditions of a run as one line. */
function describeRun({ file, summary }: ComparedRun): string {
  const [, result] = thresholdCounts(summary);
  const conditions = summary.environment === undefined ? [] : environmentParts(summary.environment);
  return [file, formatTime(summary.started_at), result, ...conditions].join(" · ");
}
