import { ungroupChecks } from "../../engine/metrics/check_series.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { TrendStats } from "../../engine/summary/metric_stats.ts";
import { mapPercentiles } from "../../engine/summary/codes.ts";
import { failedShare, metricKind, requestTotals } from "../summary_stats.ts";
import { statLabel } from "../shown_times.ts";
import type { RunTable } from "./table_names.ts";

/** Value of a cell; null if unknown. An object maps names to counts. */
export type Value = string | number | boolean | null | Readonly<Record<string, number>>;

/**
 * Row of a table: the value of each column, by column name. All rows of a table have the same
 * columns.
 */
export type TableRow = Readonly<Record<string, Value>>;

/**
 * Functions that return the rows of each table of a run. Times are in milliseconds and shares are
 * from 0 to 1. A table is empty if the summary does not contain its data.
 */
export const TABLE_ROWS: Readonly<Record<RunTable, (summary: Summary) => TableRow[]>> = {
  endpoints({ endpoints, duration_ms }) {
    const all = requestTotals(endpoints).count;
    return endpoints.map((endpoint) => ({
      ...keyOf(endpoint),
      sent: endpoint.count,
      per_second: duration_ms === 0 ? 0 : endpoint.count / (duration_ms / 1_000),
      share: all === 0 ? 0 : endpoint.count / all,
      not_sent: endpoint.unsent ?? 0,
      failed: endpoint.failed,
      failed_share: failedShare(endpoint),
      ...times(endpoint.http_req_duration),
      bytes_sent: endpoint.bytes_sent,
      bytes_received: endpoint.bytes_received,
      statuses: endpoint.statuses,
    }));
  },
  "endpoints-over-time": ({ endpoints }) => endpoints.flatMap(seriesRows),
  timeline: ({ timeline }) =>
    timeline.map(({ histogram: _, unsent = 0, ...point }) => ({ ...point, unsent })),
  thresholds: ({ thresholds }) =>
    thresholds.map(({ metric, expression, passed, value, aborted }) => ({
      metric,
      threshold: expression,
      value,
      passed,
      aborted,
    })),
  failures: ({ failures = [] }) =>
    failures.map(({ kind = "", message = "", status, count, ...endpoint }) => ({
      ...keyOf(endpoint),
      status,
      kind,
      count,
      message,
    })),
  errors: ({ errors }) =>
    errors.map(({ kind, scenario, name, count, message }) => ({
      kind,
      scenario,
      name,
      count,
      message,
    })),
  checks: ({ checks }) =>
    ungroupChecks(checks).map(({ scenario, group, request = null, name, passes, fails }) => ({
      scenario,
      group: groupName(group),
      request,
      name,
      passes,
      fails,
    })),
  groups: ({ groups = [] }) =>
    groups.map(({ scenario, group, duration }) => ({
      scenario,
      group: groupName(group),
      count: duration.count,
      ...times(duration),
    })),
  scenarios: ({ scenarios }) =>
    scenarios.map((
      {
        schedule_lag_us: lag,
        scheduled_ms = null,
        start_delay_ms = null,
        unstarted_vus = 0,
        ...scenario
      },
    ) => ({
      ...scenario,
      scheduled_ms,
      unstarted_vus,
      start_delay_med: lag && lag.med / 1_000,
      start_delay_p99: lag && lag["p(99)"] / 1_000,
      start_delay_max: lag === null ? start_delay_ms : lag.max / 1_000,
    })),
  phases: ({ phases = [] }) =>
    phases.map(({ scenario, from_ms, to_ms, target = null, unit = null }) => ({
      scenario,
      from_ms,
      to_ms,
      target,
      unit,
    })),
  metrics: ({ metrics }) =>
    Object.entries(metrics).flatMap(([name, stats]) => {
      const metric = metricKind(stats);
      if (metric.kind === "trend") {
        const { count } = metric.stats;
        return [
          { metric: name, statistic: "count", value: count },
          ...Object.entries(times(metric.stats)).map(([statistic, value]) => ({
            metric: name,
            statistic,
            value,
          })),
        ];
      }
      return Object.entries(stats).map(([statistic, value]) => ({
        metric: name,
        statistic,
        value,
      }));
    }),
};

function keyOf(
  { scenario, group, name, method }: Pick<EndpointStats, "scenario" | "group" | "name" | "method">,
) {
  return { scenario, group: groupName(group), name, method };
}

/** Returns the path of a group without the leading `::`, such as `outer::inner`. */
function groupName(group: string): string {
  return group.replace(/^::/, "");
}

function times({ count: _, ...stats }: TrendStats): Record<string, number> {
  return Object.fromEntries(
    Object.entries(stats).map(([key, ms]) => [statLabel(key), ms]),
  );
}

/** Returns one row for each interval of an endpoint's series over time. */
function seriesRows(endpoint: EndpointStats): TableRow[] {
  const { series } = endpoint;
  if (series === undefined) return [];
  return series.count.map((requests, i) => ({
    ...keyOf(endpoint),
    from_seconds: i * series.step,
    to_seconds: (i + 1) * series.step,
    requests,
    failed: series.failed[i] ?? 0,
    avg: series.avg[i] ?? 0,
    ...mapPercentiles((_, key) => series[key]?.[i] ?? null),
    statuses: Object.fromEntries(
      Object.entries(series.statuses ?? {}).map(([name, counts]) => [name, counts[i] ?? 0]),
    ),
  }));
}
