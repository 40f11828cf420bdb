import { ungroupChecks } from "../../engine/metrics/merge_summaries.ts";
import type { CheckData } from "../../engine/metrics/snapshot.ts";
import type { TrendStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import {
  type Cell,
  type Column,
  countCell,
  nameCell,
  NO_VALUE,
  type Section,
  shareCell,
  tableSection,
  timeCell,
} from "../blocks.ts";
import {
  causesFirst,
  metricKind,
  metricNames,
  SHOWN_TIMES,
  statLabel,
  type TimeAggregation,
} from "../stats.ts";
import { describeValue, groupPath } from "../summary_words.ts";

/** Lists the thresholds with their actual values and results. Failed thresholds come first. */
export function thresholdSection({ thresholds }: Pick<Summary, "thresholds">): Section {
  const rank = ({ passed }: ThresholdVerdict) => passed === false ? 0 : passed === null ? 1 : 2;
  return tableSection(
    "Thresholds",
    [
      { title: "Metric", cell: ({ metric }) => nameCell(metric) },
      { title: "Threshold", cell: ({ expression }) => nameCell(expression) },
      {
        title: "Actual",
        cell: (verdict) => ({
          text: describeValue(verdict),
          ...(verdict.value !== null && { value: verdict.value }),
        }),
      },
      { title: "Result", cell: resultCell },
    ],
    thresholds.toSorted((a, b) => rank(a) - rank(b)),
  );
}

function resultCell({ passed, aborted }: ThresholdVerdict): Cell {
  if (passed === null) return { text: "? not evaluated", tone: "faint" };
  if (passed) return { text: "✓ passed", tone: "good" };
  return { text: aborted ? "✗ ended the run" : "✗ failed", tone: "bad" };
}

/**
 * Lists the errors by kind and endpoint, with the first message of each. Errors of unsent requests
 * come last.
 */
export function errorSection({ errors }: Pick<Summary, "errors">): Section {
  return tableSection(
    "Errors by kind",
    [
      { title: "Kind", cell: ({ kind }) => nameCell(kind) },
      { title: "Count", cell: ({ count }) => countCell(count) },
      { title: "Request", cell: ({ name }) => nameCell(name) },
      { title: "Scenario", cell: ({ scenario }) => scenario },
      { title: "First message", cell: ({ message }) => message },
    ],
    causesFirst(errors),
    { sortable: true },
  );
}

/** Lists how often each check of each request passed and failed. */
export function checkSection({ checks }: Pick<Summary, "checks">): Section {
  return tableSection(
    "Checks",
    [
      { title: "Check", cell: ({ name }) => name },
      {
        title: "Request",
        cell: ({ request }) => request,
        // Older versions did not record the requests.
        isShown: (checks) => checks.some(({ request }) => request !== undefined),
      },
      { title: "In", cell: ({ scenario, group }) => groupPath(scenario, group) },
      { title: "Passed", cell: ({ passes }) => countCell(passes) },
      { title: "Failed", cell: ({ fails }) => countCell(fails, fails > 0 ? "bad" : undefined) },
      { title: "Pass rate", cell: passedShare },
    ],
    ungroupChecks(checks),
    { sortable: true },
  );
}

function passedShare({ passes, fails }: CheckData): Cell {
  return passes + fails === 0
    ? { text: "not evaluated", value: -1, tone: "faint" }
    : shareCell(passes / (passes + fails));
}

/** Lists the iterations and start delays of each scenario. */
export function scenarioSection({ scenarios }: Summary): Section {
  return tableSection<Summary["scenarios"][number]>(
    "Scenarios",
    [
      { title: "Scenario", cell: ({ name }) => name },
      { title: "Executor", cell: ({ executor }) => executor },
      { title: "Iterations", cell: ({ iterations }) => countCell(iterations) },
      { title: "Cut off", cell: ({ interrupted }) => countCell(interrupted) },
      {
        title: "Dropped",
        hint: "Planned iterations that did not start",
        cell: ({ dropped }) => countCell(dropped, dropped > 0 ? "bad" : undefined),
      },
      { title: "Max VUs", cell: ({ max_vus }) => countCell(max_vus) },
      ...SHOWN_TIMES.startDelay.map((key): Column<Summary["scenarios"][number]> => ({
        title: `Start delay ${statLabel(key)}`,
        hint: "Time between the scheduled and the actual start of an iteration",
        isShown: (rows) => rows.some(({ schedule_lag_us }) => schedule_lag_us !== null),
        cell: ({ schedule_lag_us: lag }) => lag === null ? NO_VALUE : timeCell(lag[key] / 1_000),
      })),
    ],
    scenarios,
  );
}

/** Lists all trends that have samples. */
export function trendSection({ metrics }: Summary): Section {
  const trends = metricNames(metrics).flatMap((name) => {
    const metric = metricKind(metrics[name]);
    return metric.kind === "trend" && metric.stats.count > 0 ? [{ name, stats: metric.stats }] : [];
  });
  return tableSection(
    "Times",
    [
      { title: "Metric", cell: ({ name }) => nameCell(name) },
      { title: "Samples", cell: ({ stats }) => countCell(stats.count) },
      ...trendColumns<typeof trends[number]>(SHOWN_TIMES.trends, ({ stats }) => stats),
    ],
    trends,
  );
}

/** Lists the durations of the groups, if they are known. */
export function groupSection({ groups = [] }: Summary): Section {
  return tableSection(
    "Groups",
    [
      { title: "Group", cell: ({ scenario, group }) => groupPath(scenario, group) },
      { title: "Complete runs", cell: ({ duration }) => countCell(duration.count) },
      ...trendColumns<typeof groups[number]>(SHOWN_TIMES.trends, ({ duration }) => duration),
    ],
    groups,
    { sortable: true },
  );
}

/**
 * Creates a column for each aggregation in `keys`. `of` returns the aggregated values of a row, in
 * milliseconds.
 */
export function trendColumns<Row>(
  keys: readonly TimeAggregation[],
  of: (row: Row) => TrendStats,
): Column<Row>[] {
  return keys.map((key) => ({ title: statLabel(key), cell: (row) => timeCell(of(row)[key]) }));
}
