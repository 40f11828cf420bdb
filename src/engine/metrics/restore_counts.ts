import type { HistogramData } from "../../base/histogram.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import type { CheckStats } from "../summary/flow_stats.ts";
import type { MetricStats, TrendStats } from "../summary/metric_stats.ts";
import type { Summary } from "../summary/summary.ts";
import { shiftSeries } from "./endpoint_series.ts";
import type { MetricData } from "./metrics.ts";
import type { CheckData, Snapshot } from "./snapshot.ts";

/**
 * Restores the counts of a run from its summary. Throws an Error if a histogram is missing or
 * invalid.
 */
export function toSnapshot(summary: Summary): Snapshot {
  const { histograms } = summary;
  return {
    durationMs: summary.duration_ms,
    metrics: Object.fromEntries(
      Object.entries(summary.metrics).map((
        [name, stats],
      ) => [name, metricData(stats, histograms.metrics[name])]),
    ),
    checks: ungroupChecks(summary.checks),
    endpoints: summary.endpoints.map(({ http_req_duration, ...endpoint }, i) => ({
      ...endpoint,
      histogram: decode(histograms.endpoints[i], http_req_duration, 1_000),
    })),
    errors: summary.errors,
    ...(summary.failures && { failures: summary.failures }),
    ...(summary.groups && {
      groups: summary.groups.map(({ duration, ...group }, i) => ({
        ...group,
        histogram: decode(histograms.groups?.[i], duration, 1_000),
      })),
    }),
    scenarios: summary.scenarios.map(({ schedule_lag_us, ...scenario }, i) => ({
      ...scenario,
      ...(schedule_lag_us && { lag: decode(histograms.scenarios[i], schedule_lag_us, 1) }),
    })),
    timeline: summary.timeline,
  };
}

function metricData(stats: MetricStats, histogram: string | undefined): MetricData {
  if ("avg" in stats) {
    return { kind: "trend", histogram: decode(histogram, stats, 1_000) };
  }
  if ("passes" in stats) {
    const { passes, fails } = stats;
    return { kind: "rate", passes, total: passes + fails };
  }
  if ("count" in stats) return { kind: "counter", count: stats.count };
  return { kind: "gauge", ...stats };
}

/**
 * Decodes a histogram with values in µs. Takes the sum, minimum and maximum from the statistics,
 * because the encoding rounds them. `unit` is the number of µs per unit of the statistics. Throws
 * an Error if the histogram is missing or invalid.
 */
function decode(
  text: string | undefined,
  { avg, count, min, max }: TrendStats,
  unit: number,
): HistogramData {
  if (text === undefined) throw new Error("a histogram is missing");
  return decodeHistogram(text, {
    sum: Math.round(avg * count * unit),
    min: Math.round(min * unit),
    max: Math.round(max * unit),
  }).data();
}

/**
 * Returns the snapshot of a shard as if its run had started `ms` milliseconds earlier, to align the
 * timelines of shards that started at different times. Shifts timelines and series by whole
 * seconds.
 */
export function shiftSnapshot(snapshot: Snapshot, ms: number): Snapshot {
  const seconds = Math.round(ms / 1_000);
  return {
    ...snapshot,
    durationMs: snapshot.durationMs + ms,
    timeline: snapshot.timeline.map((point) => ({ ...point, at: point.at + seconds })),
    endpoints: snapshot.endpoints.map(({ series, ...endpoint }) => ({
      ...endpoint,
      ...(series && { series: shiftSeries(series, seconds) }),
    })),
  };
}

/**
 * Returns the results of each check for each request. A check whose requests are unknown has one
 * result, without `request`.
 */
export function ungroupChecks(checks: readonly CheckStats[]): CheckData[] {
  return checks.flatMap(({ requests, ...check }): CheckData[] =>
    requests?.map(({ name: request, passes, fails }) => ({ ...check, request, passes, fails })) ??
      [check]
  );
}
