import { mergeHistograms } from "../../base/histogram.ts";
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
import type { ThresholdVerdict } from "../summary/summary.ts";
import type { MetricData } from "./snapshot.ts";

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
export function ratePerSecond(count: number, elapsedMs: number): number {
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
