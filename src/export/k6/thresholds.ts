import { durationMs } from "../../base/format.ts";
import type { Plan, Threshold } from "../../plan/schema/plan.ts";
import { isOwnMetric } from "../../plan/text/metrics.ts";
import { parseSelector, parseThreshold, type Selector } from "../../plan/text/threshold.ts";
import { allFlows, listRequests } from "../../plan/kinds/list_requests.ts";
import { formatDuration, listCode, type Member, objectCode } from "./javascript.ts";
import type { Script } from "./script.ts";

/** Metrics that a plan can use in thresholds but that k6 does not have. */
const MISSING: ReadonlySet<string> = new Set([
  "http_req_latency_corrected",
  "ws_session_failed",
  "ws_connecting",
  "ws_msgs_received",
  "ws_msgs_sent",
  "ws_session_duration",
  "sse_events",
  "sse_first_event",
]);

/** Tags that the script sets on the `request_failed` metric. */
const RECORDED_TAGS: ReadonlySet<string> = new Set(["name", "scenario", "group"]);

/**
 * Reports whether a plan has a threshold on `http_req_failed`, and requests with extractors or with
 * assertions that do not test the status. k6 does not include failed extractions and such failed
 * assertions in `http_req_failed`.
 */
export function recordsFailures(plan: Plan): boolean {
  const selectors = Object.keys(plan.thresholds ?? {});
  if (!selectors.some((selector) => parseSelector(selector).metric === "http_req_failed")) {
    return false;
  }
  return allFlows(plan).some((flow) =>
    [...listRequests(flow)].some(({ extract = [], assert = [] }) =>
      extract.length > 0 || assert.some(({ type }) => type !== "status")
    )
  );
}

/** Reports whether a plan has a threshold that selects checks by the name of their request. */
export function selectsCheckRequest(plan: Plan): boolean {
  return Object.keys(plan.thresholds ?? {}).map(parseSelector).some(({ metric, tags }) =>
    metric === "checks" && tags.some(([tag]) => tag === "name")
  );
}

/** Returns the plan's thresholds as members of a JavaScript object. */
export function thresholdMembers(script: Script): Member[] {
  const members = new Map<string, string[]>();
  for (const [selector, list] of Object.entries(script.plan.thresholds ?? {})) {
    const name = metricSelector(selector, script);
    if (name === undefined) continue;
    members.set(name, [...members.get(name) ?? [], ...list.map(thresholdCode)]);
    const isTested = list.some((one) => typeof one === "string" || !one.optional);
    if (isTested && !/^(?:vus|vus_max|iterations|http_reqs)$/.test(name)) {
      script.note("k6-no-samples", "thresholds", "k6 passes a threshold without samples");
    }
  }
  return [...members].map(([name, list]) => [name, listCode(list)]);
}

/**
 * Converts the metric and tags of a threshold to a k6 selector. Returns undefined if k6 cannot
 * select the same samples.
 */
function metricSelector(text: string, script: Script): string | undefined {
  const selector = parseSelector(text);
  const { metric, tags } = selector;
  const problem = MISSING.has(metric) || isOwnMetric(metric)
    ? `k6 has no metric \`${metric}\``
    : tagProblem(selector);
  if (problem !== undefined) {
    script.note("k6-threshold", text, problem);
    return undefined;
  }
  const isFailed = metric === "http_req_failed" && script.recordsFailures &&
    tags.every(([tag]) => RECORDED_TAGS.has(tag));
  if (isFailed) script.note("k6-failed-requests", text, "the threshold tests `request_failed`");
  const name = isFailed ? "request_failed" : metric;
  if (tags.length === 0) return name;
  return `${name}{${tags.map(([tag, value]) => `${tag}:${value}`).join(",")}}`;
}

function tagProblem({ tags }: Selector): string | undefined {
  for (const [tag, value] of tags) {
    if (tag === "error_kind") return "k6 has no tag `error_kind`";
    if (/[,]|^["'\s]|["'\s]$/.test(value)) {
      return `k6 cannot select the value ${JSON.stringify(value)} of the tag \`${tag}\``;
    }
  }
  return undefined;
}

function thresholdCode(threshold: Threshold): string {
  if (typeof threshold === "string") return `'${expressionText(threshold)}'`;
  const expression = `'${expressionText(threshold.threshold)}'`;
  const { abort_on_fail, delay_abort_eval } = threshold;
  if (!abort_on_fail) return expression;
  const members: Member[] = [["threshold", expression], ["abortOnFail", "true"]];
  const delay = durationMs(delay_abort_eval ?? 0)!;
  if (delay > 0) members.push(["delayAbortEval", `'${formatDuration(delay)}'`]);
  return objectCode(members);
}

/** Formats a threshold expression for k6, with durations in milliseconds. */
function expressionText(text: string): string {
  const { aggregation, percentile, operator, value } = parseThreshold(text);
  const subject = percentile === undefined ? aggregation : `p(${percentile})`;
  return `${subject}${operator}${value}`;
}
