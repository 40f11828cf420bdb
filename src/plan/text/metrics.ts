/** The kind of a metric. It determines which aggregations a threshold can use. */
export type MetricKind = "counter" | "rate" | "gauge" | "trend";

/** Kind of each built-in metric, by name. Values of trends are in milliseconds. */
export const METRIC_KINDS = {
  iterations: "counter",
  dropped_iterations: "counter",
  http_reqs: "counter",
  http_req_retries: "counter",
  data_sent: "counter",
  data_received: "counter",
  checks: "rate",
  http_req_failed: "rate",
  ws_msgs_sent: "counter",
  ws_msgs_received: "counter",
  ws_session_failed: "rate",
  sse_events: "counter",
  vus: "gauge",
  vus_max: "gauge",
  iteration_duration: "trend",
  group_duration: "trend",
  http_req_duration: "trend",
  http_req_blocked: "trend",
  http_req_connecting: "trend",
  http_req_tls_handshaking: "trend",
  http_req_sending: "trend",
  http_req_waiting: "trend",
  http_req_receiving: "trend",
  http_req_latency_corrected: "trend",
  ws_connecting: "trend",
  ws_session_duration: "trend",
  sse_first_event: "trend",
} as const satisfies Record<string, MetricKind>;

/**
 * Reports whether a built-in metric exists only in runs that record a value. All
 * other built-in metrics exist in every run.
 */
export function isOptionalMetric(name: string): boolean {
  return /^(?:ws|sse)_/.test(name) || name === "group_duration" ||
    name === "http_req_retries";
}

/** Name of a built-in metric. */
export type MetricName = keyof typeof METRIC_KINDS;

/** Kind of the built-in metric with the given name. */
export type KindOfMetric<Name extends MetricName> = (typeof METRIC_KINDS)[Name];

/** Name of a built-in metric of the given kind. */
export type MetricNameOf<Kind extends MetricKind> = {
  [Name in MetricName]: KindOfMetric<Name> extends Kind ? Name : never;
}[MetricName];

/** Kind of each built-in metric, by name. Use this map to look up names that may be unknown. */
export const METRICS: ReadonlyMap<string, MetricKind> = new Map(Object.entries(METRIC_KINDS));

/**
 * Reports whether a selector, such as `basket{step:pay}`, refers to a metric that the plan defines
 * or to one of its sub-metrics. Returns false if it refers to a built-in metric.
 */
export function isOwnMetric(selector: string): boolean {
  return !METRICS.has(selector.replace(/\{.*$/s, "").trim());
}

/** Names of the tags that rehearse itself sets on samples. */
export const TAG_NAMES = [
  "scenario",
  "name",
  "method",
  "status",
  "group",
  "check",
  "error_kind",
] as const;

/** Name of a tag that rehearse itself sets on samples. */
export type TagName = typeof TAG_NAMES[number];

/**
 * Names of the tags that rehearse itself sets on samples. Use this set to look up names that may be
 * unknown.
 */
export const TAGS: ReadonlySet<string> = new Set(TAG_NAMES);
