import { SHOWN_TIMES, statLabel, type TimeAggregation } from "../shown_times.ts";
import type { GroupStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { TrendStats } from "../../engine/summary/metric_stats.ts";
import { metricKind, metricNames } from "../summary_stats.ts";
import { groupPath } from "../summary_words.ts";
import { type Markup, markup } from "./markup.ts";
import { countCell, type HtmlColumn, htmlTable, timeCell } from "./html_table.ts";

/**
 * Creates a column for each aggregation in `keys`. `of` returns the aggregated values of a row, in
 * milliseconds.
 */
export function trendColumns<Row>(
  keys: readonly TimeAggregation[],
  of: (row: Row) => TrendStats,
): HtmlColumn<Row>[] {
  return keys.map((key) => ({ title: statLabel(key), cell: (row) => timeCell(of(row)[key]) }));
}

/** Creates a table of all trends that have samples. Returns undefined if no trend has samples. */
export function trendTable({ metrics }: Summary): Markup | undefined {
  const trends = metricNames(metrics).flatMap((name) => {
    const metric = metricKind(metrics[name]);
    return metric.kind === "trend" && metric.stats.count > 0 ? [{ name, stats: metric.stats }] : [];
  });
  return htmlTable(
    [
      { title: "Metric", cell: ({ name }) => markup`<code>${name}</code>` },
      { title: "Samples", cell: ({ stats }) => countCell(stats.count) },
      ...trendColumns<typeof trends[number]>(SHOWN_TIMES.trends, ({ stats }) => stats),
    ],
    trends,
    { caption: "Times" },
  );
}

/**
 * Creates a table of group durations. Returns undefined if there are no groups or their
 * durations are unknown.
 */
export function groupTable({ groups = [] }: Summary): Markup | undefined {
  return htmlTable<GroupStats>(
    [
      { title: "Group", cell: ({ scenario, group }) => groupPath(scenario, group) },
      { title: "Complete runs", cell: ({ duration }) => countCell(duration.count) },
      ...trendColumns<GroupStats>(SHOWN_TIMES.trends, ({ duration }) => duration),
    ],
    groups,
    { caption: "Groups", sortable: true },
  );
}
