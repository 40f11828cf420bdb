import { type HistogramData, mergeHistograms } from "../../base/histogram.ts";
import type { CheckStats, ErrorStats } from "../summary.ts";
import type { MetricData } from "./metric.ts";
import { mergeSeries } from "./endpoint_series.ts";
import type { EndpointData, ScenarioCounts, ScenarioData, Snapshot } from "./snapshot.ts";
import { mergeTimelines } from "./timeline_point.ts";

/**
 * Adds up what the shares of a run counted: workers of one machine, or machines. Histograms are
 * added, percentiles never averaged. Levels (VUs) are added too, since the shares ran side by side.
 */
export function mergeSnapshots(shares: readonly Snapshot[]): Snapshot {
  if (shares.length === 1) return shares[0];
  return {
    durationMs: Math.max(...shares.map(({ durationMs }) => durationMs)),
    metrics: mergeMetrics(shares.map(({ metrics }) => metrics)),
    checks: mergeChecks(shares.flatMap(({ checks }) => checks)),
    endpoints: mergeBy(shares.flatMap(({ endpoints }) => endpoints), endpointKey, addEndpoints),
    errors: mergeBy(shares.flatMap(({ errors }) => errors), errorKey, (a, b) => ({
      ...a,
      count: a.count + b.count,
    })),
    scenarios: mergeBy(
      shares.flatMap(({ scenarios }) => scenarios),
      ({ name }) => name,
      addScenarios,
    ),
    timeline: mergeTimelines(shares.map(({ timeline }) => timeline)),
  };
}

/** Adds up checks of the same name, scenario and group. */
export function mergeChecks(checks: readonly CheckStats[]): CheckStats[] {
  return mergeBy(
    checks,
    ({ name, scenario, group }) => JSON.stringify([scenario, group, name]),
    (a, b) => ({ ...a, passes: a.passes + b.passes, fails: a.fails + b.fails }),
  );
}

/** Adds up metrics of the same name. */
export function mergeMetrics(
  shares: readonly Readonly<Record<string, MetricData>>[],
): Record<string, MetricData> {
  const entries = shares.flatMap((metrics) => Object.entries(metrics));
  return Object.fromEntries(
    mergeBy(entries, ([name]) => name, ([name, a], [, b]) => [name, addMetrics(a, b)]),
  );
}

/** Adds up what scenarios of the same name have counted when a second ends. */
export function mergeCounts(shares: readonly (readonly ScenarioCounts[])[]): ScenarioCounts[] {
  return mergeBy(shares.flat(), ({ name }) => name, (a, b) => ({
    name: a.name,
    vus: a.vus + b.vus,
    atWork: a.atWork + b.atWork,
    iterations: a.iterations + b.iterations,
    interrupted: a.interrupted + b.interrupted,
    dropped: a.dropped + b.dropped,
  }));
}

function mergeBy<T>(items: readonly T[], keyOf: (item: T) => string, add: (a: T, b: T) => T): T[] {
  const merged = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    const known = merged.get(key);
    merged.set(key, known === undefined ? item : add(known, item));
  }
  return [...merged.values()];
}

function addMetrics(a: MetricData, b: MetricData): MetricData {
  if (a.kind === "counter" && b.kind === "counter") return { ...a, count: a.count + b.count };
  if (a.kind === "rate" && b.kind === "rate") {
    return { ...a, passes: a.passes + b.passes, total: a.total + b.total };
  }
  if (a.kind === "gauge" && b.kind === "gauge") {
    return { ...a, value: a.value + b.value, min: a.min + b.min, max: a.max + b.max };
  }
  if (a.kind === "trend" && b.kind === "trend") {
    return { ...a, histogram: addHistograms(a.histogram, b.histogram) };
  }
  throw new TypeError(`a ${a.kind} and a ${b.kind} cannot be added`);
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
  return {
    ...rest,
    ...(series && { series }),
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
    iterations: a.iterations + b.iterations,
    interrupted: a.interrupted + b.interrupted,
    dropped: a.dropped + b.dropped,
    max_vus: a.max_vus + b.max_vus,
    ...((a.scheduled_ms ?? b.scheduled_ms) !== undefined &&
      { scheduled_ms: Math.max(a.scheduled_ms ?? 0, b.scheduled_ms ?? 0) }),
    lag: a.lag && b.lag && addHistograms(a.lag, b.lag),
  };
}

function addHistograms(a: HistogramData, b: HistogramData): HistogramData {
  return mergeHistograms(a, b).data();
}
