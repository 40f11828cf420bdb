import { mergeSeconds } from "./timeline.ts";
import type { TimelinePoint } from "../summary/summary.ts";
import type { HistogramData } from "../../base/histogram.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import type { Ending } from "../summary/codes.ts";
import type { MetricStats, TrendStats } from "../summary/flow_stats.ts";
import type { Summary } from "../summary/summary.ts";
import { mergeFlaws, SIMULTANEOUS_MS, startsApartMs } from "../summary/verdict.ts";
import { DETAILS, mergeRows } from "./counts.ts";
import { shiftSeries } from "./endpoint_series.ts";
import { evaluateThreshold, parseThresholds, summarize } from "./summarize.ts";
import { limitSamples } from "./failures.ts";
import { metricRows, toMetrics } from "./metrics.ts";
import type { CountRows, MetricData, ScenarioCounts, Snapshot, TickDetails } from "./snapshot.ts";

const WORST_FIRST: readonly Ending[] = [
  "assertion",
  "threshold",
  "interrupted",
  "lost",
  "finished",
];

/**
 * Merges the summaries of shards (at least one) and evaluates the thresholds on the whole run. The
 * `accepted` key of the result lists the reasons why the shards do not form one complete run. If
 * the shards started at different times, they are merged by time of day, so that the timeline shows
 * the actual load. Throws an Error if a histogram is missing or invalid.
 */
export function mergeSummaries(summaries: readonly Summary[]): Summary {
  const [first] = summaries;
  const shards = summaries.flatMap((summary) => summary.shards);
  const started_at = summaries.map((summary) => summary.started_at).sort()[0];
  const isShifted = startsApartMs(shards) > SIMULTANEOUS_MS;
  const lateMs = (summary: Summary) =>
    isShifted ? Date.parse(summary.started_at) - Date.parse(started_at) : 0;
  const snapshot = mergeSnapshots(
    summaries.map((summary) =>
      isShifted ? shiftSnapshot(toSnapshot(summary), lateMs(summary)) : toSnapshot(summary)
    ),
  );
  const verdicts = first.thresholds.map(({ metric, expression, optional }) => {
    const [rule] = parseThresholds({ [metric]: [{ threshold: expression, optional }] });
    const aborted = summaries.some(({ thresholds }) =>
      thresholds.some((t) => t.metric === metric && t.expression === expression && t.aborted)
    );
    return { ...evaluateThreshold(rule, snapshot.metrics, snapshot.durationMs), aborted };
  });
  const facts = {
    name: first.name,
    plan_hash: first.plan_hash,
    started_at,
    ending: WORST_FIRST.find((ending) => summaries.some((summary) => summary.ending === ending))!,
    seed: first.seed,
    data_seed: first.data_seed,
    shards,
    accepted: mergeFlaws(summaries),
    ...(first.unchecked && { unchecked: true }),
    ...mergeEnvironments(summaries),
    ...mergeLossyOutputs(summaries),
    ...mergeChanges(summaries, lateMs),
  };
  return summarize(snapshot, facts, verdicts);
}

/** Matches the `--shard` option. In a merged summary, the `shards` key replaces this option. */
const SHARD_OPTION = /^--shard(?:[= ]|$)/;

/**
 * Returns the environment of the first summary, without the `--shard` option and with the targets
 * of all summaries. Returns an empty object if the first summary has no environment.
 */
function mergeEnvironments(summaries: readonly Summary[]): Pick<Summary, "environment"> {
  const [first] = summaries;
  if (first.environment === undefined) return {};
  const targets = summaries.flatMap(({ environment }) => environment?.targets ?? []);
  const isWhole = first.shards.length === 1 && first.shards[0].shard === "1/1";
  const options = isWhole
    ? first.environment.options
    : first.environment.options.filter((option) => !SHARD_OPTION.test(option));
  return { environment: { ...first.environment, targets: [...new Set(targets)], options } };
}

function mergeLossyOutputs(summaries: readonly Summary[]): Pick<Summary, "lossy_outputs"> {
  const all = summaries.flatMap(({ lossy_outputs = [] }) => lossy_outputs);
  return all.length === 0 ? {} : { lossy_outputs: all };
}

/**
 * Returns the load changes from all summaries, sorted by `at_ms`, the time since the start of the
 * run. `lateMs` returns the number of milliseconds to add to the times of a summary.
 */
function mergeChanges(
  summaries: readonly Summary[],
  lateMs: (summary: Summary) => number,
): Pick<Summary, "changes"> {
  const changes = summaries.flatMap((summary) =>
    (summary.changes ?? []).map((change) => ({
      ...change,
      at_ms: change.at_ms + lateMs(summary),
    }))
  );
  return changes.length === 0 ? {} : { changes: changes.toSorted((a, b) => a.at_ms - b.at_ms) };
}

/**
 * Restores the counts of a run from its summary. Throws an Error if a histogram is missing or
 * invalid.
 */
function toSnapshot(summary: Summary): Snapshot {
  const { histograms } = summary;
  return {
    durationMs: summary.duration_ms,
    metrics: Object.fromEntries(
      Object.entries(summary.metrics).map((
        [name, stats],
      ) => [name, metricData(stats, histograms.metrics[name])]),
    ),
    checks: summary.checks.flatMap(({ requests, ...check }) =>
      requests.map(({ name: request, passes, fails }) => ({ ...check, request, passes, fails }))
    ),
    endpoints: summary.endpoints.map(({ http_req_duration, ...endpoint }, i) => ({
      ...endpoint,
      histogram: decode(histograms.endpoints[i], http_req_duration, 1_000),
    })),
    errors: summary.errors,
    failures: summary.failures,
    groups: summary.groups.map(({ duration, ...group }, i) => ({
      ...group,
      histogram: decode(histograms.groups[i], duration, 1_000),
    })),
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
function shiftSnapshot(snapshot: Snapshot, ms: number): Snapshot {
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

export function mergeDetails(shards: readonly TickDetails[]): TickDetails {
  const lists = DETAILS.map((family) => {
    const rows = shards.flatMap((shard) => shard[family] as readonly CountRows[typeof family][]);
    return [family, mergeRows(family, rows)] as const;
  });
  const details = Object.fromEntries(lists) as unknown as TickDetails;
  return { ...details, failures: limitSamples(details.failures) };
}

export function mergeMetrics(
  shards: readonly Readonly<Record<string, MetricData>>[],
): Record<string, MetricData> {
  return toMetrics(mergeRows("metrics", shards.flatMap(metricRows)));
}

export function mergeCounts(shards: readonly (readonly ScenarioCounts[])[]): ScenarioCounts[] {
  return mergeRows("live", shards.flat());
}

function mergeTimelines(timelines: readonly (readonly TimelinePoint[])[]): TimelinePoint[] {
  const seconds = Map.groupBy(timelines.flat(), ({ at }) => at);
  return [...seconds.values()].map(mergeSeconds).sort((a, b) => a.at - b.at);
}
