import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import {
  type Cell,
  type Column,
  countCell,
  nameCell,
  NO_VALUE,
  type NumberCell,
  type Section,
  shareCell,
  tableSection,
  unitCell,
} from "../blocks.ts";
import { failedShare } from "../stats.ts";
import { describeValue, groupPath, thresholdCounts } from "../summary_words.ts";
import { changeText } from "./change.ts";
import {
  type ComparedEndpoint,
  type ComparedMetric,
  compareRuns,
  earlierThresholds,
  metricHistories,
  type MetricHistory,
  type RunComparison,
  thresholdKey,
} from "./compare_runs.ts";
import { type ComparedRun, comparisonWarnings } from "./run_differences.ts";

/** Maximum number of rows in a table that is not on a page. */
const MAX_ROWS = 20;

/**
 * A comparison of the last run with the first one. Its strings may contain recorded text, which is
 * not escaped.
 */
export interface Comparison extends RunComparison {
  readonly runs: readonly ComparedRun[];
  /** Reasons to doubt the comparison. */
  readonly warnings: readonly string[];
  /** Metrics of each run. Absent for two runs. */
  readonly history?: readonly MetricHistory[];
  readonly sections: readonly Section[];
}

/**
 * Compares the last of at least two runs with the first one, and lists the metrics of all runs if
 * there are more than two.
 */
export function describeComparison(runs: readonly ComparedRun[]): Comparison {
  const [before, after] = [runs[0].summary, runs[runs.length - 1].summary];
  const found = compareRuns(before, after);
  const common = { ...found, runs, warnings: comparisonWarnings(runs) };
  const sections = pairSections(found, before, after);
  if (runs.length === 2) return { ...common, sections };
  const history = metricHistories(runs);
  return { ...common, history, sections: [runsSection(runs, history), ...sections] };
}

const NOISE =
  "A change is significant if it is at least 5% and the 99% confidence intervals do not overlap. " +
  "A change in a response time must also be at least 0.1 ms. " +
  "If an endpoint has too few requests for p95, a significant change in p50 decides. " +
  "Machines and caches also vary between runs, so repeat the runs before you rely on a result.";

function pairSections(
  { metrics, endpoints }: RunComparison,
  before: Summary,
  after: Summary,
): Section[] {
  const early = earlierThresholds(before);
  const hasFailed = (verdict: ThresholdVerdict) =>
    verdict.passed === false || early.get(thresholdKey(verdict))?.passed === false;
  const columns: Column<ThresholdVerdict>[] = [
    {
      ...NAME,
      title: "Threshold",
      cell: ({ metric, expression }) => nameCell(`${metric}: ${expression}`),
    },
    { title: "Before", cell: (verdict) => thresholdCell(early.get(thresholdKey(verdict))) },
    { title: "After", cell: thresholdCell },
  ];
  return [
    tableSection<ComparedMetric>(
      "All requests",
      [
        { title: "Metric", cell: ({ label }) => label },
        { title: "Before", cell: ({ before, unit }) => unitCell(before.value, unit) },
        { title: "After", cell: ({ after, unit }) => unitCell(after.value, unit) },
        { title: "Change", cell: ({ before, after }) => changeCell(before.value, after.value) },
        { title: "Result", cell: metricResult },
      ],
      metrics,
      { note: NOISE },
    ),
    tableSection("Thresholds", columns, after.thresholds, { only: "page" }),
    tableSection("Failed thresholds", columns, after.thresholds.filter(hasFailed), {
      only: "text",
    }),
    tableSection("Endpoints", ENDPOINT_COLUMNS, endpoints, {
      sortable: true,
      filter: "Filter endpoints",
      first: MAX_ROWS,
    }),
  ];
}

const NAME = { long: "cut" } as const;

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

function endpointResult({ before, metrics, change }: ComparedEndpoint): Cell {
  if (metrics === undefined) {
    return { text: before === undefined ? "only after" : "only before" };
  }
  const time = verdictCell(change, TIME_WORDS);
  const failed = verdictCell(metrics.failed.verdict, ["fewer failures", "more failures"]);
  const cells = [time, failed].filter(({ tone }) => tone !== "faint");
  if (cells.length === 0) return time;
  const tone = cells.some(({ tone }) => tone === "bad") ? "bad" : "good";
  return { text: cells.map(({ text }) => text).join(", "), tone };
}

type VerdictWords = readonly [better: string, worse: string];

const TIME_WORDS: VerdictWords = ["faster", "slower"];

/** Formats the verdict on a metric, such as `✗ slower` or, for a share of failures, `✗ more`. */
function metricResult({ verdict, unit }: ComparedMetric): Cell | undefined {
  return verdict && verdictCell(verdict, unit === "share" ? ["fewer", "more"] : TIME_WORDS);
}

function verdictCell(
  verdict: ComparedEndpoint["change"],
  [better, worse]: VerdictWords,
): Cell {
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

function runsSection(
  runs: readonly ComparedRun[],
  history: readonly MetricHistory[],
): Section {
  const files = withoutCommonFolder(runs.map(({ file }) => file));
  const metrics = history.map(({ label, unit, values }): Column<number> => ({
    title: label,
    cell: (run) => unitCell(values[run]?.value, unit),
  }));
  return tableSection(
    "Runs",
    [
      { title: "Run", cell: (run) => ({ text: String(run + 1), value: run + 1 }) },
      { title: "File", ...NAME, cell: (run) => nameCell(files[run]) },
      ...metrics,
      {
        title: "Result",
        cell: (run) => {
          const [tone, text] = thresholdCounts(runs[run].summary);
          return { text, tone: tone === "" ? undefined : tone };
        },
      },
    ],
    [...runs.keys()],
  );
}

function withoutCommonFolder(paths: readonly string[]): string[] {
  let end = 0;
  for (let i = 0; paths.every((path) => path[i] === paths[0][i] && i < path.length - 1); i++) {
    if (paths[0][i] === "/" || paths[0][i] === "\\") end = i + 1;
  }
  return paths.map((path) => path.slice(end));
}

function relativeChange(before: number, after: number): number | undefined {
  return before === 0 ? undefined : (after - before) / before;
}
