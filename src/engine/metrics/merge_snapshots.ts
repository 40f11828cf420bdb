import { METRICS } from "../../plan/text/metrics.ts";
import { type HistogramData, mergeHistograms } from "../../base/histogram.ts";
import type { CheckData } from "./check_series.ts";
import { worstEnd } from "../summary/codes.ts";
import type { ErrorStats } from "../summary/flow_stats.ts";
import type { MetricData } from "./metric.ts";
import { mergeFailures } from "./failure_log.ts";
import { mergeSeries } from "./endpoint_series.ts";
import type {
  EndpointData,
  GroupData,
  ScenarioCounts,
  ScenarioData,
  Snapshot,
  TickDetails,
} from "./snapshot.ts";
import { mergeTimelines } from "./timeline_point.ts";

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
  const failures = allIfKnown(shards.map(({ failures }) => failures));
  const groups = allIfKnown(shards.map(({ groups }) => groups));
  return {
    checks: mergeChecks(shards.flatMap(({ checks }) => checks)),
    endpoints: mergeByKey(shards.flatMap(({ endpoints }) => endpoints), endpointKey, addEndpoints),
    errors: mergeByKey(shards.flatMap(({ errors }) => errors), errorKey, (a, b) => ({
      ...a,
      count: a.count + b.count,
    })),
    ...(failures && { failures: mergeFailures(failures) }),
    ...(groups && { groups: mergeByKey(groups, groupKey, addGroups) }),
    scenarios: mergeByKey(
      shards.flatMap(({ scenarios }) => scenarios),
      ({ name }) => name,
      addScenarios,
    ),
  };
}

/** Adds up the results of checks with the same name, scenario, group and request. */
export function mergeChecks(checks: readonly CheckData[]): CheckData[] {
  return mergeByKey(
    checks,
    ({ name, scenario, group, request }) => JSON.stringify([scenario, group, name, request]),
    (a, b) => ({ ...a, passes: a.passes + b.passes, fails: a.fails + b.fails }),
  );
}

/**
 * Merges metrics with the same name: adds up counts and built-in gauges, merges histograms, and
 * keeps the largest value of a gauge that the plan defines. Throws TypeError if a metric does not
 * have the same kind in all shards.
 */
export function mergeMetrics(
  shards: readonly Readonly<Record<string, MetricData>>[],
): Record<string, MetricData> {
  const entries = shards.flatMap((metrics) => Object.entries(metrics));
  return Object.fromEntries(
    mergeByKey(entries, ([name]) => name, ([name, a], [, b]) => [name, addMetrics(name, a, b)]),
  );
}

/** Adds up the counts that shards report for each scenario at the end of a one-second interval. */
export function mergeCounts(shards: readonly (readonly ScenarioCounts[])[]): ScenarioCounts[] {
  return mergeByKey(shards.flat(), ({ name }) => name, (a, b) => ({
    name: a.name,
    vus: a.vus + b.vus,
    atWork: a.atWork + b.atWork,
    iterations: a.iterations + b.iterations,
    interrupted: a.interrupted + b.interrupted,
    dropped: a.dropped + b.dropped,
  }));
}

function mergeByKey<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  add: (a: T, b: T) => T,
): T[] {
  const merged = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    const known = merged.get(key);
    merged.set(key, known === undefined ? item : add(known, item));
  }
  return [...merged.values()];
}

function addMetrics(name: string, a: MetricData, b: MetricData): MetricData {
  if (a.kind === "counter" && b.kind === "counter") return { ...a, count: a.count + b.count };
  if (a.kind === "rate" && b.kind === "rate") {
    return { ...a, passes: a.passes + b.passes, total: a.total + b.total };
  }
  if (a.kind === "gauge" && b.kind === "gauge" && !METRICS.has(name)) {
    return {
      ...a,
      value: Math.max(a.value, b.value),
      min: Math.min(a.min, b.min),
      max: Math.max(a.max, b.max),
    };
  }
  if (a.kind === "gauge" && b.kind === "gauge") {
    return { ...a, value: a.value + b.value, min: a.min + b.min, max: a.max + b.max };
  }
  if (a.kind === "trend" && b.kind === "trend") {
    return { ...a, histogram: addHistograms(a.histogram, b.histogram) };
  }
  throw new TypeError(`cannot merge a ${a.kind} with a ${b.kind}`);
}

/** Concatenates lists. Returns undefined if any list is undefined. */
function allIfKnown<T>(lists: readonly (readonly T[] | undefined)[]): T[] | undefined {
  const known = lists.filter((list) => list !== undefined);
  return known.length === lists.length ? known.flat() : undefined;
}

function addGroups(a: GroupData, b: GroupData): GroupData {
  return { ...a, histogram: addHistograms(a.histogram, b.histogram) };
}

function groupKey({ scenario, group }: GroupData): string {
  return JSON.stringify([scenario, group]);
}

function endpointKey({ scenario, group, name, method }: EndpointData): string {
  return JSON.stringify([scenario, group, name, method]);
}

function errorKey({ kind, scenario, name }: ErrorStats): string {
  return JSON.stringify([kind, scenario, name]);
}

function addEndpoints(a: EndpointData, b: EndpointData): EndpointData {
  const statuses = { ...a.statuses };
  for (const [status, n] of Object.entries(b.statuses)) {
    statuses[status] = (statuses[status] ?? 0) + n;
  }
  const { series: one, ...rest } = a;
  const series = mergeSeries(one, b.series);
  const omitted = (a.omitted_headers ?? 0) + (b.omitted_headers ?? 0);
  return {
    ...rest,
    ...(series && { series }),
    ...(omitted > 0 && { omitted_headers: omitted }),
    count: a.count + b.count,
    failed: a.failed + b.failed,
    unsent: (a.unsent ?? 0) + (b.unsent ?? 0),
    bytes_sent: a.bytes_sent + b.bytes_sent,
    bytes_received: a.bytes_received + b.bytes_received,
    statuses,
    histogram: addHistograms(a.histogram, b.histogram),
  };
}

function addScenarios(a: ScenarioData, b: ScenarioData): ScenarioData {
  return {
    ...a,
    ...(a.planned !== undefined && { planned: a.planned + (b.planned ?? 0) }),
    ...(a.started !== undefined && { started: a.started + (b.started ?? 0) }),
    ...(a.ended !== undefined && {
      ended: worstEnd(a.ended, b.ended),
    }),
    iterations: a.iterations + b.iterations,
    interrupted: a.interrupted + b.interrupted,
    dropped: a.dropped + b.dropped,
    max_vus: a.max_vus + b.max_vus,
    ...((a.scheduled_ms ?? b.scheduled_ms) !== undefined &&
      { scheduled_ms: Math.max(a.scheduled_ms ?? 0, b.scheduled_ms ?? 0) }),
    ...((a.start_delay_ms ?? b.start_delay_ms) !== undefined &&
      { start_delay_ms: Math.max(a.start_delay_ms ?? 0, b.start_delay_ms ?? 0) }),
    ...((a.unstarted_vus ?? b.unstarted_vus) !== undefined &&
      { unstarted_vus: (a.unstarted_vus ?? 0) + (b.unstarted_vus ?? 0) }),
    lag: a.lag && b.lag && addHistograms(a.lag, b.lag),
  };
}

function addHistograms(a: HistogramData, b: HistogramData): HistogramData {
  return mergeHistograms(a, b).data();
}
