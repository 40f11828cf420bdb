import type { MetricData } from "./metrics.ts";
import { DETAILS, mergeRows } from "./counts.ts";
import { limitSamples } from "./failures.ts";
import type { CountRows, MetricRow, ScenarioCounts, Snapshot, TickDetails } from "./snapshot.ts";
import { mergeTimelines } from "./timeline.ts";

/**
 * Adds up the counts of shards that ran in several threads or on several machines. Merges
 * histograms and never averages percentiles. Also adds up the built-in gauges, which count VUs,
 * because the shards ran at the same time. For a gauge that the plan defines, keeps the largest
 * value. Throws TypeError if a metric does not have the same kind in all shards.
 */
export function mergeSnapshots(shards: readonly Snapshot[]): Snapshot {
  if (shards.length === 1) return shards[0];
  return {
    durationMs: Math.max(...shards.map(({ durationMs }) => durationMs)),
    metrics: mergeMetrics(shards.map(({ metrics }) => metrics)),
    ...mergeDetails(shards),
    timeline: mergeTimelines(shards.map(({ timeline }) => timeline)),
  };
}

/**
 * Adds up the counts for checks, endpoints, errors, failures, groups and scenarios from all shards.
 */
export function mergeDetails(shards: readonly TickDetails[]): TickDetails {
  const lists = DETAILS.flatMap((family) => {
    const known = shards.map((shard) => shard[family]).filter((rows) => rows !== undefined);
    const rows = known.flat() as readonly CountRows[typeof family][];
    return known.length < shards.length ? [] : [[family, mergeRows(family, rows)] as const];
  });
  const details: TickDetails = Object.fromEntries(lists) as unknown as TickDetails;
  const { failures } = details;
  return failures === undefined ? details : { ...details, failures: limitSamples(failures) };
}

/** Adds up metrics with the same name, with the rules of `mergeSnapshots`. */
export function mergeMetrics(
  shards: readonly Readonly<Record<string, MetricData>>[],
): Record<string, MetricData> {
  return toMetrics(mergeRows("metrics", shards.flatMap(metricRows)));
}

/** Adds up the counts that shards report for each scenario at the end of a one-second interval. */
export function mergeCounts(shards: readonly (readonly ScenarioCounts[])[]): ScenarioCounts[] {
  return mergeRows("live", shards.flat());
}

/** Returns metrics as rows. */
export function metricRows(metrics: Readonly<Record<string, MetricData>>): MetricRow[] {
  return Object.entries(metrics).map(([name, data]) => ({ name, ...data }));
}

/** Returns rows of metrics by name. Throws TypeError if two kinds of metrics have the same name. */
export function toMetrics(rows: readonly MetricRow[]): Record<string, MetricData> {
  const metrics: Record<string, MetricData> = {};
  for (const { name, ...data } of rows) {
    const known = metrics[name];
    if (known) throw new TypeError(`cannot merge a ${known.kind} with a ${data.kind}`);
    metrics[name] = data as MetricData;
  }
  return metrics;
}
