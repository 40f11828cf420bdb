import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { formatNumber, percent } from "../../base/format.ts";
import {
  type Cell,
  type Column,
  countCell,
  inUnit,
  nameCell,
  NO_VALUE,
  type NumberCell,
  type Section,
  shareCell,
  tableSection,
  type Unit,
  unitCell,
} from "../blocks.ts";
import { failedShare } from "../stats.ts";
import {
  describeValue,
  environmentParts,
  formatTime,
  groupPath,
  thresholdCounts,
} from "../summary_words.ts";
import { type ChangeVerdict, type Estimate, relativeChange } from "./change.ts";
import {
  type BrokenThreshold,
  compareRuns,
  earlierThresholds,
  type MetricChange,
  type RunChange,
  thresholdKey,
} from "./compare_runs.ts";
import {
  type ComparedEndpoint,
  comparedEndpoints,
  comparedTotals,
  type TimeVerdict,
  timeVerdict,
} from "./compared_metrics.ts";
import { compareHistory, runsSection } from "./history.ts";
import { type ComparedRun, comparisonWarnings } from "./run_differences.ts";

/** Maximum number of rows in a table that is not on a page. */
const MAX_ROWS = 20;

/** A comparison of runs. Its strings may contain recorded text, which is not escaped. */
export interface Comparison {
  /** Name of the last run; empty for a run without a name. */
  readonly name: string;
  readonly change: RunChange;
  /** Reasons for the verdict, at least one. */
  readonly reasons: readonly string[];
  /** Reasons to doubt the comparison. */
  readonly warnings: readonly string[];
  /** One line for each run: its file, start time and conditions. */
  readonly runs: readonly string[];
  readonly sections: readonly Section[];
}

/** Compares at least two runs, in the order in which they are given. */
export function describeComparison(runs: readonly ComparedRun[]): Comparison {
  const [before, after] = runs.map(({ summary }) => summary);
  const common = {
    name: runs[runs.length - 1].summary.name,
    warnings: comparisonWarnings(runs),
    runs: runs.map(describeRun),
  };
  if (runs.length === 2) {
    const { change, details } = compareRuns(before, after);
    return { ...common, change, reasons: [details], sections: pairSections(before, after) };
  }
  const { change, comparisons } = compareHistory(runs);
  return {
    ...common,
    change,
    reasons: comparisons.map(({ reason }) => reason),
    sections: [
      ...comparisons.map(({ title, changes, broken }) => changesSection(title, changes, broken)),
      runsSection(runs),
    ],
  };
}

function describeRun({ file, summary }: ComparedRun): string {
  const [, result] = thresholdCounts(summary);
  const conditions = summary.environment === undefined ? [] : environmentParts(summary.environment);
  return [file, formatTime(summary.started_at), result, ...conditions].join(" · ");
}

const NOISE =
  "A change is significant if it is at least 5% and the 99% confidence intervals do not overlap. " +
  "A change in a response time must also be at least 0.1 ms. " +
  "If an endpoint has too few requests for p95, a significant change in p50 decides. " +
  "Machines and caches also vary between runs, so repeat the runs before you rely on a result.";

function pairSections(before: Summary, after: Summary): Section[] {
  const early = earlierThresholds(before);
  const hasFailed = (verdict: ThresholdVerdict) =>
    verdict.passed === false || early.get(thresholdKey(verdict))?.passed === false;
  const columns: Column<ThresholdVerdict>[] = [
    { ...NAME, title: "Threshold", cell: thresholdName },
    { title: "Before", cell: (verdict) => thresholdCell(early.get(thresholdKey(verdict))) },
    { title: "After", cell: thresholdCell },
  ];
  return [
    tableSection(
      "All requests",
      [
        { title: "Metric", cell: ({ label }) => label },
        { title: "Before", cell: ({ before, unit }) => unitCell(before, unit) },
        { title: "After", cell: ({ after, unit }) => unitCell(after, unit) },
        { title: "Change", cell: ({ before, after }) => changeCell(before, after) },
        { title: "Result", cell: ({ unit, verdict }) => verdict && metricResult(verdict, unit) },
      ],
      comparedTotals(before, after),
      { note: NOISE },
    ),
    tableSection("Thresholds", columns, after.thresholds, { only: "page" }),
    tableSection("Failed thresholds", columns, after.thresholds.filter(hasFailed), {
      only: "text",
    }),
    tableSection("Endpoints", ENDPOINT_COLUMNS, comparedEndpoints(before, after), {
      sortable: true,
      filter: "Filter endpoints",
      first: MAX_ROWS,
    }),
  ];
}

const NAME = { long: "cut" } as const;

const thresholdName = ({ metric, expression }: ThresholdVerdict) =>
  nameCell(`${metric}: ${expression}`);

function thresholdCell(verdict: ThresholdVerdict | undefined): Cell {
  if (verdict === undefined) return { text: "–" };
  const text = describeValue(verdict);
  if (verdict.passed === null) return { text, tone: "faint" };
  return verdict.passed ? { text: `✓ ${text}`, tone: "good" } : { text: `✗ ${text}`, tone: "bad" };
}

const requestsCell = (stats: EndpointStats | undefined) =>
  stats ? countCell(stats.count) : NO_VALUE;

function failedCell(stats: EndpointStats | undefined): NumberCell {
  if (stats === undefined) return NO_VALUE;
  const share = failedShare(stats);
  return shareCell(share, share > 0 ? "bad" : undefined);
}

const ENDPOINT_COLUMNS: readonly Column<ComparedEndpoint>[] = [
  {
    ...NAME,
    title: "Request",
    cell: ({ name, scenario, group }) => nameCell(name, groupPath(scenario, group)),
  },
  { title: "Requests was", only: "page", cell: ({ before }) => requestsCell(before) },
  { title: "now", only: "page", cell: ({ after }) => requestsCell(after) },
  { title: "Time", cell: ({ time }) => time.percentile ?? "–" },
  { title: "was", cell: ({ time }) => unitCell(time.before, "time") },
  { title: "now", cell: ({ time }) => unitCell(time.after, "time") },
  { title: "Change", cell: ({ time }) => changeCell(time.before, time.after) },
  { title: "Failed was", cell: ({ before }) => failedCell(before) },
  { title: "now", cell: ({ after }) => failedCell(after) },
  { title: "Result", cell: endpointResult },
];

function endpointResult(endpoint: ComparedEndpoint): Cell {
  const { before, after, failed } = endpoint;
  if (before === undefined || after === undefined) {
    return { text: before === undefined ? "only after" : "only before" };
  }
  const time = verdictCell(timeVerdict(endpoint), TIME_WORDS);
  const cells = [time, verdictCell(failed, ["fewer failures", "more failures"])]
    .filter(({ tone }) => tone !== "faint");
  if (cells.length === 0) return time;
  const tone = cells.some(({ tone }) => tone === "bad") ? "bad" : "good";
  return { text: cells.map(({ text }) => text).join(", "), tone };
}

type VerdictWords = readonly [better: string, worse: string];

const TIME_WORDS: VerdictWords = ["faster", "slower"];

/** Formats the verdict on a metric, such as `✗ slower` or, for a share of failures, `✗ more`. */
function metricResult(verdict: ChangeVerdict, unit: Unit): Cell {
  return verdictCell(verdict, unit === "share" ? ["fewer", "more"] : TIME_WORDS);
}

function verdictCell(verdict: TimeVerdict, [better, worse]: VerdictWords): Cell {
  if (verdict === "worse") return { text: `✗ ${worse}`, tone: "bad" };
  if (verdict === "better") return { text: `✓ ${better}`, tone: "good" };
  return verdict === "mixed" ? { text: "✗ mixed", tone: "bad" } : { text: verdict, tone: "faint" };
}

function changeCell(before: number | undefined, after: number | undefined): NumberCell {
  const share = before === undefined || after === undefined
    ? undefined
    : relativeChange(before, after);
  return { text: changeText(share), value: share ?? 0 };
}

/** Minimum ratio of two values that is shown as a factor instead of a percentage. */
const LEAST_FACTOR = 10;

/**
 * Formats a relative change with a sign: `+12.00%`, `−3.50%`. If the new value is at least 10 times
 * the old one, returns the factor instead, such as `77 times`. Returns `–` if the change is
 * undefined.
 */
export function changeText(change: number | undefined): string {
  if (change === undefined) return "–";
  const factor = 1 + change;
  if (factor >= LEAST_FACTOR) return `${formatNumber(Number(factor.toPrecision(2)))} times`;
  return `${change < 0 ? "−" : "+"}${percent(Math.abs(change))}`;
}

interface ChangeRow {
  readonly name: Cell;
  readonly before: Cell;
  readonly after: Cell;
  readonly result: Cell;
}

function changesSection(
  title: string,
  changes: readonly MetricChange[],
  broken: readonly BrokenThreshold[],
): Section {
  const rows = [
    ...broken.map(({ before, after }): ChangeRow => ({
      name: thresholdName(after),
      before: before === undefined ? NO_VALUE : actualCell(before),
      after: actualCell(after),
      result: { text: "✗ failed", tone: "bad" },
    })),
    ...["worse", "better"].flatMap((verdict) =>
      changes.filter((change) => change.verdict === verdict).map(changeRow)
    ),
  ];
  return tableSection(
    title,
    [
      { ...NAME, title: "Metric", cell: ({ name }) => name },
      { title: "Before (99% interval)", cell: ({ before }) => before },
      { title: "After (99% interval)", cell: ({ after }) => after },
      { title: "Result", cell: ({ result }) => result },
    ],
    rows,
    { first: MAX_ROWS },
  );
}

function actualCell(verdict: ThresholdVerdict): Cell {
  return { text: describeValue(verdict), value: verdict.value ?? -1 };
}

function changeRow({ metric, endpoint, unit, before, after, verdict }: MetricChange): ChangeRow {
  return {
    name: endpoint === undefined ? { text: metric } : nameCell(`${metric} of ${endpoint}`),
    before: estimateCell(before, unit),
    after: estimateCell(after, unit),
    result: metricResult(verdict, unit),
  };
}

/** Creates a cell with an estimate and its confidence interval: `24.1ms (23.9ms–24.3ms)`. */
function estimateCell({ value, low, high }: Estimate, unit: Unit): NumberCell {
  const end = high === Infinity ? "∞" : inUnit(high, unit);
  return { text: `${inUnit(value, unit)} (${inUnit(low, unit)}–${end})`, value };
}
