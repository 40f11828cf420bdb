import { type HistogramData, mergeHistograms } from "../../base/histogram.ts";
import { encodeLater } from "../../base/histogram_codec.ts";
import { SUMMARY_SCHEMA } from "../summary/codes.ts";
import type { CheckStats, MetricStats, TrendStats } from "../summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../summary/summary.ts";
import { runPassed, shortfalls } from "../summary/verdict.ts";
import { ratePerSecond } from "./evaluate_thresholds.ts";
import type { CheckData, EndpointData, MetricData, Snapshot } from "./snapshot.ts";

export type RunFacts = Pick<
  Summary,
  | "name"
  | "plan_hash"
  | "started_at"
  | "ending"
  | "seed"
  | "data_seed"
  | "shards"
  | "accepted"
  | "failure"
  | "environment"
  | "unchecked"
  | "lossy_outputs"
  | "changes"
  | "phases"
>;

/** Computes the summary of a run from its counts and the facts that they do not contain. */
export function summarize(
  snapshot: Snapshot,
  facts: RunFacts,
  thresholds: readonly ThresholdVerdict[],
): Summary {
  const endpoints = snapshot.endpoints.toSorted((a, b) => b.count - a.count);
  const metrics = Object.entries(snapshot.metrics);
  const failure = hasNoResponse(snapshot, facts) ? "no request got a response" : facts.failure;
  const { failure: _, ...known } = facts;
  const scenarios = snapshot.scenarios.map(({ lag, ...scenario }) => ({
    ...scenario,
    schedule_lag_us: lag ? trendStats(lag, 1) : null,
  }));
  const reasons = shortfalls({ ...facts, endpoints, scenarios });
  const incomplete = reasons.length > 0 && failure === undefined ? reasons : undefined;
  return {
    schema: SUMMARY_SCHEMA,
    ...known,
    duration_ms: snapshot.durationMs,
    passed: runPassed({ ...facts, thresholds, failure, incomplete }),
    ...(incomplete && { incomplete }),
    ...(failure && { failure }),
    metrics: Object.fromEntries(
      metrics.map(([name, data]) => [name, metricStats(data, snapshot.durationMs)]),
    ),
    thresholds,
    checks: groupChecks(snapshot.checks),
    endpoints: endpoints.map(({ histogram, ...endpoint }) => ({
      ...endpoint,
      http_req_duration: trendStats(histogram, 1_000),
    })),
    errors: snapshot.errors.toSorted((a, b) => b.count - a.count),
    failures: snapshot.failures.toSorted((a, b) => b.count - a.count),
    groups: snapshot.groups.map(({ histogram, ...group }) => ({
      ...group,
      duration: trendStats(histogram, 1_000),
    })),
    scenarios,
    timeline: snapshot.timeline,
    histograms: encodeWhenRead(snapshot, endpoints, metrics),
  };
}

/**
 * Reports whether a run received no response although its plan has requests. A shard, or a run that
 * ended early, can be too short to send a request. In these cases, returns true only if a request
 * was attempted or an iteration was interrupted.
 */
function hasNoResponse({ endpoints, scenarios }: Snapshot, facts: RunFacts): boolean {
  const hasResponse = endpoints.some(({ statuses }) =>
    Object.entries(statuses).some(([status, count]) => status !== "0" && count > 0)
  );
  if (hasResponse || endpoints.length === 0) return false;
  const { ending, accepted, shards } = facts;
  const isPart = shards.length === 1 && shards[0].shard !== "1/1";
  if (ending === "finished" && accepted.length === 0 && !isPart) return true;
  return endpoints.some(({ count, unsent = 0 }) => count + unsent > 0) ||
    scenarios.some(({ interrupted }) => interrupted > 0);
}

function groupChecks(checks: readonly CheckData[]): CheckStats[] {
  const groups = Map.groupBy(
    checks,
    ({ scenario, group, name }) => JSON.stringify([scenario, group, name]),
  );
  return [...groups.values()].map((results): CheckStats => {
    const [{ name, scenario, group }] = results;
    return {
      name,
      scenario,
      group,
      passes: results.reduce((sum, { passes }) => sum + passes, 0),
      fails: results.reduce((sum, { fails }) => sum + fails, 0),
      requests: results.map(({ request, passes, fails }) => ({ name: request, passes, fails })),
    };
  });
}

function metricStats(data: MetricData, durationMs: number): MetricStats {
  switch (data.kind) {
    case "counter":
      return { count: data.count, rate: ratePerSecond(data.count, durationMs) };
    case "rate": {
      const { passes, total } = data;
      return { value: total === 0 ? 0 : passes / total, passes, fails: total - passes };
    }
    case "gauge":
      return { value: data.value, min: data.min, max: data.max };
    case "trend":
      return trendStats(data.histogram, 1_000);
  }
}

/** Returns the statistics of a histogram in µs, in a unit of `unit` µs. */
function trendStats(data: HistogramData, unit: number): TrendStats {
  const histogram = mergeHistograms(data);
  return {
    count: histogram.count,
    avg: histogram.mean / unit,
    min: histogram.min / unit,
    med: histogram.percentile(50) / unit,
    max: histogram.max / unit,
    "p(90)": histogram.percentile(90) / unit,
    "p(95)": histogram.percentile(95) / unit,
    "p(99)": histogram.percentile(99) / unit,
    "p(99.9)": histogram.percentile(99.9) / unit,
  };
}

/** Compresses histograms only when they are read, because most runs do not export them. */
function encodeWhenRead(
  { scenarios: allScenarios, groups: allGroups }: Pick<Snapshot, "scenarios" | "groups">,
  allEndpoints: readonly EndpointData[],
  allMetrics: readonly (readonly [name: string, MetricData])[],
): Summary["histograms"] {
  const encode = (data: HistogramData) => encodeLater(mergeHistograms(data));
  const metrics = allMetrics.flatMap(([name, data]) =>
    data.kind === "trend" ? [[name, encode(data.histogram)] as const] : []
  );
  const endpoints = allEndpoints.map(({ histogram }) => encode(histogram));
  const groups = allGroups.map(({ histogram }) => encode(histogram));
  const scenarios = allScenarios.map(({ lag }) => lag && encode(lag));
  return {
    get metrics() {
      return Object.fromEntries(metrics.map(([name, text]) => [name, text()]));
    },
    get endpoints() {
      return endpoints.map((text) => text());
    },
    get groups() {
      return groups.map((text) => text());
    },
    get scenarios() {
      return scenarios.map((text) => text?.() ?? "");
    },
  };
}
