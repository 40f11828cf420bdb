/** The kind of a metric, which determines its aggregations in thresholds. */
export type MetricKind = "counter" | "rate" | "gauge" | "trend";

/** Kind of each metric of a run. Trends are in milliseconds. */
export const METRICS: ReadonlyMap<string, MetricKind> = new Map<string, MetricKind>([
  ["iterations", "counter"],
  ["dropped_iterations", "counter"],
  ["http_reqs", "counter"],
  ["data_sent", "counter"],
  ["data_received", "counter"],
  ["checks", "rate"],
  ["http_req_failed", "rate"],
  ["vus", "gauge"],
  ["vus_max", "gauge"],
  ["iteration_duration", "trend"],
  ["http_req_duration", "trend"],
  ["http_req_blocked", "trend"],
  ["http_req_connecting", "trend"],
  ["http_req_tls_handshaking", "trend"],
  ["http_req_sending", "trend"],
  ["http_req_waiting", "trend"],
  ["http_req_receiving", "trend"],
  ["http_req_latency_corrected", "trend"],
]);

/** Names of the tags that a sample can have, in addition to those that the plan sets. */
export const TAGS: readonly string[] = [
  "scenario",
  "name",
  "method",
  "status",
  "group",
  "check",
  "error_kind",
];
