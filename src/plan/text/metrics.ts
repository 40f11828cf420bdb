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

/** Name of a built-in metric. */
export type MetricName = keyof typeof METRIC_KINDS;

/** Built-in metrics that exist only in runs that record a value. All others exist in every run. */
export const OPTIONAL_METRICS: ReadonlySet<string> = new Set<MetricName>([
  ...["group_duration", "http_req_retries", "sse_events", "sse_first_event"] as const,
  ...["ws_connecting", "ws_msgs_received", "ws_msgs_sent"] as const,
  ...["ws_session_duration", "ws_session_failed"] as const,
]);

/** Kind of the built-in metric with the given name. */
export type KindOfMetric<Name extends MetricName> = (typeof METRIC_KINDS)[Name];

/** Name of a built-in metric of the given kind. */
export type MetricNameOf<Kind extends MetricKind> = {
  [Name in MetricName]: KindOfMetric<Name> extends Kind ? Name : never;
}[MetricName];

/** Kind of each built-in metric, by name. Use this map to look up names that may be unknown. */
export const METRICS: ReadonlyMap<string, MetricKind> = new Map(Object.entries(METRIC_KINDS));

/** A metric of the plan, or a sub-metric such as `basket{step:pay}`. */
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

/** Tags that rehearse sets. For names that may be unknown. */
export const TAGS: ReadonlySet<string> = new Set(TAG_NAMES);

export type WrittenTags = Readonly<Record<string, unknown>>;

/**
 * Name of the tag that `convert` adds to a request to identify its recorded entry. The value is the
 * number of the entry in `log.entries` of the HAR, from 1. For a request that the browser repeated,
 * the value lists the numbers of all its entries, such as `7,9,12`. Samples do not get this tag, so
 * metrics, outputs and summaries do not contain it.
 */
export const RECORDED_TAG = "recorded";

/** Whole numbers of at least 1, ascending, separated by commas. */
export function isEntryList(value: unknown): boolean {
  return String(value).split(",").every((number, i, numbers) =>
    ENTRY.test(number) && (i === 0 || Number(number) > Number(numbers[i - 1]))
  );
}

const ENTRY = /^[1-9]\d{0,14}$/;

/** Returns the tags that samples of a request get: all tags except `recorded`. */
export function sampleTags<Tags extends WrittenTags>(tags: Tags): Omit<Tags, typeof RECORDED_TAG> {
  const { [RECORDED_TAG]: _entry, ...rest } = tags;
  return rest;
}

/** Matches a range of status codes, such as `4xx` or `200-399`. */
export const STATUS_RANGE = /^(?:[1-5]xx|[1-5]\d\d-[1-5]\d\d)$/;

/** A test for a list of codes and ranges; undefined without a list. */
export function statusTest(
  list: readonly (number | string)[] | undefined,
): ((status: number) => boolean) | undefined {
  if (list === undefined) return undefined;
  const ranges = list.map(bounds);
  return (status) => ranges.some(([from, to]) => status >= from && status <= to);
}

function bounds(range: number | string): [from: number, to: number] {
  if (typeof range === "number") return [range, range];
  if (range.endsWith("xx")) return [Number(range[0]) * 100, Number(range[0]) * 100 + 99];
  const [from, to] = range.split("-").map(Number);
  return [from, to];
}
