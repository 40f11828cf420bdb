import { type HistogramData, mergeHistograms } from "../../base/histogram.ts";
import { encodeHistogram } from "../../base/histogram_codec.ts";
import { SUMMARY_SCHEMA } from "../summary/codes.ts";
import type { CheckStats, MetricStats, TrendStats } from "../summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../summary/summary.ts";
import { runPassed, shortfalls } from "../summary/verdict.ts";
import type { CheckData, EndpointData, MetricData, Snapshot } from "./snapshot.ts";
import { durationMs } from "../../base/format.ts";
import type { Threshold } from "../../plan/schema/plan.ts";
import { isOwnMetric, type MetricName, type TagName } from "../../plan/text/metrics.ts";
import {
  type Operator,
  parseSelector,
  parseThreshold,
  type Selector,
  type ThresholdExpression,
} from "../../plan/rules/thresholds.ts";

const DROPPED: MetricName = "dropped_iterations";
/** Tags whose values are known only after a request has ended. */
const OUTCOME_TAGS: readonly string[] = ["status", "error_kind"] satisfies TagName[];

export interface ThresholdRule {
  readonly metric: string;
  readonly text: string;
  readonly expression: ThresholdExpression;
  readonly abortOnFail: boolean;
  /** Earliest time at which the threshold may abort the run, in milliseconds after the start. */
  readonly notBefore: number;
  readonly optional: boolean;
  /**
   * True if a counter of 0 is evaluated as the value 0, and false if it is treated as a lack of
   * samples.
   */
  readonly zeroCounts: boolean;
}

/** Parses the thresholds of a plan. */
export function parseThresholds(
  thresholds: Readonly<Record<string, readonly Threshold[]>>,
): ThresholdRule[] {
  return Object.entries(thresholds).flatMap(([metric, list]) => {
    const zeroCounts = zeroIsValue(parseSelector(metric));
    return list.map((threshold) => {
      const object = typeof threshold === "string" ? { threshold } : threshold;
      return {
        metric,
        text: object.threshold,
        expression: parseThreshold(object.threshold),
        abortOnFail: object.abort_on_fail ?? false,
        notBefore: durationMs(object.delay_abort_eval ?? 0) ?? 0,
        optional: object.optional ?? false,
        zeroCounts,
      };
    });
  });
}

/**
 * Reports whether a counter of 0 counts as the value 0 (true) or as a lack of samples (false). It
 * counts as a value for dropped iterations, for metrics without a tag selector, and for outcomes
 * such as `http_reqs{status:500}`, which count unwanted events. For other selectors, such as
 * `http_reqs{name:login}`, 0 means that nothing matched.
 */
function zeroIsValue({ metric, tags }: Selector): boolean {
  const isOutcome = tags.some(([tag]) => OUTCOME_TAGS.includes(tag));
  return tags.length === 0 || metric === DROPPED || isOutcome;
}

/**
 * Evaluates a threshold on the metrics of a run that has lasted `elapsedMs` milliseconds. If there
 * are no samples, the value is null; the threshold then fails unless it is optional. During the run
 * (`isFinal` is false), its `passed` is null in this case, because samples may still arrive.
 */
export function evaluateThreshold(
  rule: ThresholdRule,
  metrics: Readonly<Record<string, MetricData>>,
  elapsedMs: number,
  isFinal = true,
): ThresholdVerdict {
  const { metric, text, expression, optional } = rule;
  const data = metrics[metric];
  const value = data === undefined || isEmpty(data, rule)
    ? null
    : aggregate(data, expression, elapsedMs);
  const passed = value !== null
    ? COMPARE[expression.operator](value, expression.value)
    : isFinal
    ? optional
    : null;
  return { metric, expression: text, passed, value, aborted: false, ...(optional && { optional }) };
}

/** Returns the result of a threshold for a shard: only the whole run can evaluate it. */
export function unevaluatedVerdict({ metric, text, optional }: ThresholdRule): ThresholdVerdict {
  const verdict = { metric, expression: text, passed: null, value: null, aborted: false };
  return optional ? { ...verdict, optional } : verdict;
}

/**
 * Reports whether a counter or gauge has no samples. Always returns false for trends and rates:
 * `aggregate` returns null if they have no samples.
 */
function isEmpty(data: MetricData, { zeroCounts, metric }: ThresholdRule): boolean {
  if (zeroCounts) return false;
  // Only gauges that the plan defines have tags, so any other tagged gauge has no samples.
  return data.kind === "gauge" && !isOwnMetric(metric) ||
    data.kind === "counter" && data.count === 0;
}

/**
 * Returns the aggregated value that a threshold compares: milliseconds for trends, a count or a
 * count per second for counters, a fraction from 0 to 1 for rates, and the last value for gauges.
 * Returns null if a trend or rate has no samples.
 */
function aggregate(
  data: MetricData,
  { aggregation, percentile = 0 }: ThresholdExpression,
  elapsedMs: number,
): number | null {
  switch (data.kind) {
    case "counter":
      return aggregation === "count" ? data.count : ratePerSecond(data.count, elapsedMs);
    case "rate":
      return data.total === 0 ? null : data.passes / data.total;
    case "gauge":
      return data.value;
    case "trend": {
      const histogram = mergeHistograms(data.histogram);
      if (histogram.count === 0) return null;
      if (aggregation === "avg") return histogram.mean / 1_000;
      if (aggregation === "min") return histogram.min / 1_000;
      if (aggregation === "max") return histogram.max / 1_000;
      return histogram.percentile(aggregation === "med" ? 50 : percentile) / 1_000;
    }
  }
}

/** Returns the average count per second. Returns 0 if `elapsedMs` is 0. */
function ratePerSecond(count: number, elapsedMs: number): number {
  return elapsedMs > 0 ? count / elapsedMs * 1_000 : 0;
}

const COMPARE: Readonly<Record<Operator, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

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
    histograms: encodeHistograms(snapshot, endpoints, metrics),
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

function encodeHistograms(
  { scenarios, groups }: Pick<Snapshot, "scenarios" | "groups">,
  endpoints: readonly EndpointData[],
  metrics: readonly (readonly [name: string, MetricData])[],
): Summary["histograms"] {
  const encode = (data: HistogramData) => encodeHistogram(mergeHistograms(data));
  return {
    metrics: Object.fromEntries(
      metrics.flatMap(([name, data]) =>
        data.kind === "trend" ? [[name, encode(data.histogram)] as const] : []
      ),
    ),
    endpoints: endpoints.map(({ histogram }) => encode(histogram)),
    groups: groups.map(({ histogram }) => encode(histogram)),
    scenarios: scenarios.map(({ lag }) => lag ? encode(lag) : ""),
  };
}
