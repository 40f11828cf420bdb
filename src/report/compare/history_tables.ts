import { sparkline } from "../../base/format.ts";
import { thresholdCounts } from "../summary_words.ts";
import { type Estimate, relativeChange } from "./change.ts";
import {
  type ComparisonCell,
  type ComparisonTable,
  FAILURE_WORDS,
  firstRows,
  nameCell,
  TIME_WORDS,
  valueCell,
  verdictsText,
  verdictText,
} from "./comparison_tables.ts";
import { probabilityText, type RunHistory } from "./judge_history.ts";
import type { EndpointHistory, MetricHistory } from "./run_history.ts";
import { changeText, inUnit } from "./unit.ts";

/** Maximum number of endpoints in a table that is shown as text. */
const MAX_ENDPOINTS = 20;

/** Creates the tables that show several runs as text or Markdown. */
export function historyTables(history: RunHistory): ComparisonTable[] {
  return [...history.changes, runsTable(history), driftTable(history), endpointsTable(history)]
    .filter(({ rows }) => rows.length > 0);
}

function runsTable({ runs, metrics }: RunHistory): ComparisonTable {
  const files = withoutCommonFolder(runs.map(({ file }) => file));
  return {
    title: "Runs",
    columns: ["Run", "File", ...metrics.map(({ label }) => label), "Result"],
    rows: runs.map(({ summary }, i) => [
      { text: String(i + 1) },
      nameCell(files[i]),
      ...metrics.map(({ values, unit }) => estimateCell(values[i], unit)),
      resultCell(...thresholdCounts(summary)),
    ]),
  };
}

/** Removes the folders that all paths have in common. */
function withoutCommonFolder(paths: readonly string[]): string[] {
  let end = 0;
  for (let i = 0; paths.every((path) => path[i] === paths[0][i] && i < path.length - 1); i++) {
    if (paths[0][i] === "/" || paths[0][i] === "\\") end = i + 1;
  }
  return paths.map((path) => path.slice(end));
}

function estimateCell(estimate: Estimate | undefined, unit: MetricHistory["unit"]): ComparisonCell {
  return valueCell(estimate, ({ value }) => inUnit(value, unit));
}

function resultCell(tone: "good" | "bad" | "", text: string): ComparisonCell {
  return tone === "" ? { text } : { text, tone };
}

function driftTable({ metrics }: RunHistory): ComparisonTable {
  return {
    title: "Drift over all runs",
    columns: ["Metric", "From", "To", "Change", "Evidence", "Result"],
    rows: metrics.flatMap((metric) => {
      if (metric.drift === undefined) return [];
      return [[{ text: metric.label }, ...driftCells(metric, metric.drift)]];
    }),
  };
}

/**
 * Creates the cells of a drift: the values at both ends of the fitted line, the change, the
 * evidence and the verdict.
 */
function driftCells(
  { unit }: MetricHistory,
  { verdict, runs, from, to, trend }: NonNullable<MetricHistory["drift"]>,
): ComparisonCell[] {
  const { rises, falls, pairs, p } = trend;
  const direction = rises >= falls ? `${rises} of ${pairs} rise` : `${falls} of ${pairs} fall`;
  const evidence = `${direction}, ${probabilityText(p)}`;
  return [
    runs === 0 ? { text: "–" } : { text: inUnit(from, unit) },
    runs === 0 ? { text: "–" } : { text: inUnit(to, unit) },
    { text: runs === 0 ? "–" : changeText(relativeChange(from, to)) },
    { text: evidence, tone: "faint" },
    verdictText(verdict, unit === "share" ? FAILURE_WORDS : TIME_WORDS),
  ];
}

function endpointsTable({ endpoints }: RunHistory): ComparisonTable {
  const table = {
    title: "Endpoints",
    columns: ["Request", "p95", "First", "Last", "Failed", "First", "Last", "Drift"],
    rows: endpoints.map(({ name, p95, failed }: EndpointHistory) => [
      nameCell(name),
      ...metricCells(p95),
      ...metricCells(failed),
      verdictsText(verdictText(p95.drift.verdict, TIME_WORDS), failed.drift.verdict),
    ]),
  };
  return firstRows(table, MAX_ENDPOINTS);
}

/**
 * Maximum number of runs in a small bar chart. If there are more, the chart shows the last ones.
 */
const MAX_BARS = 12;

/**
 * Creates the cells of a metric: a small bar chart, and the values in the first and the last run.
 */
function metricCells({ values, unit }: MetricHistory): ComparisonCell[] {
  return [
    { text: sparkline(values.slice(-MAX_BARS).map((estimate) => estimate?.value ?? 0)) },
    estimateCell(values[0], unit),
    estimateCell(values.at(-1), unit),
  ];
}
