import * as z from "zod";
import { decodeCoarse } from "../../base/histogram.ts";
import { ERROR_KINDS } from "../../http/sender.ts";
import { mapPercentiles } from "./codes.ts";

/** Readonly version of a type, including its nested values. */
export type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

export const count = z.number().int().nonnegative();

export const ms = z.number().nonnegative();

const counterStats = z.object({
  count,
  rate: z.number().nonnegative().describe("Average count per second over the whole run"),
}).meta({ id: "counter" });

/** Statistics of a counter. */
export type CounterStats = Immutable<z.infer<typeof counterStats>>;

const rateStats = z.object({
  value: z.number().min(0).max(1).describe("Fraction of samples that are true"),
  passes: count.describe(
    "Number of samples that are true, as in k6; for `http_req_failed`, the number of failed requests",
  ),
  fails: count.describe("Number of samples that are false"),
}).meta({ id: "rate" });

/** Statistics of a rate. */
export type RateStats = Immutable<z.infer<typeof rateStats>>;

const gaugeStats = z.object({
  value: z.number().describe("Last value"),
  min: z.number(),
  max: z.number(),
}).meta({ id: "gauge" });

/** Statistics of a gauge: last, lowest and highest value. */
export type GaugeStats = Immutable<z.infer<typeof gaugeStats>>;

export const trendStats = z.object({
  count,
  avg: ms,
  min: ms,
  med: ms,
  max: ms,
  "p(90)": ms,
  "p(95)": ms,
  "p(99)": ms,
  "p(99.9)": ms,
}).meta({
  id: "trend",
  description: "Values in milliseconds, except `count`; all 0 if there are no samples",
});

/** Statistics of a trend. All values are 0 if there are no samples. */
export type TrendStats = Immutable<z.infer<typeof trendStats>>;

export const metricStats = z.union([counterStats, rateStats, gaugeStats, trendStats]);

/** Statistics of one metric, in the format of k6's summary export. */
export type MetricStats = Immutable<z.infer<typeof metricStats>>;

const name = z.string();

const within = {
  scenario: z.string(),
  group: z.string().describe(
    "Path of the group, such as `::outer::inner`; empty outside of groups",
  ),
};

const results = { passes: count, fails: count };

export const checkStats = z.object({
  name,
  ...within,
  ...results,
  requests: z.array(z.object({ name: name.describe("Name of the request"), ...results })).describe(
    "How often the check passed and failed, for each request that has the check",
  ),
});

/** How often a check passed and failed, over all requests of a scenario or group. */
export type CheckStats = Immutable<z.infer<typeof checkStats>>;

export const unsent = count.optional().describe(
  "Number of requests that could not be sent, for example because a variable is not set; absent " +
    "means 0",
);

function isCoarse(text: string): boolean {
  try {
    decodeCoarse(text);
    return true;
  } catch {
    return false;
  }
}

const endpointSeries = z.object({
  step: z.number().int().positive().describe(
    "Seconds per interval: 1, doubled until at most 60 intervals cover the run; the first interval " +
      "starts with the run",
  ),
  count: z.array(count).max(60).describe("Number of requests that ended in each interval"),
  failed: z.array(count).max(60),
  avg: z.array(ms).max(60).describe(
    "Mean `http_req_duration` in each interval, in ms; 0 if there were no requests",
  ),
  ...mapPercentiles((percent) =>
    z.array(ms).max(60).describe(
      `${percent}th percentile of \`http_req_duration\` in each interval, in ms, accurate to 3.1%; 0 if ` +
        "there were no requests",
    )
  ),
  statuses: z.record(z.string(), z.array(count).max(60)).describe(
    "Number of responses in each interval by status class, such as `2xx`; `none` counts requests " +
      "without a response",
  ),
  histograms: z.array(z.string().refine(isCoarse)).max(60).describe(
    "Coarse histogram of `http_req_duration` in µs for each interval, as Base64-encoded varints; empty " +
      "if there are no values",
  ),
});

/** Requests to an endpoint over time, in intervals of equal length from the start of the run. */
export type EndpointSeries = Immutable<z.infer<typeof endpointSeries>>;

export const endpointStats = z.object({
  ...within,
  name,
  method: z.string(),
  count: count.describe("Number of requests sent"),
  failed: count.describe(
    "Number of requests that failed, including those that could not be sent",
  ),
  unsent,
  omitted_headers: count.optional().describe(
    "Number of `Referer` and `Origin` headers that were omitted or shortened because a variable in " +
      "them was not set; absent means 0",
  ),
  bytes_sent: count,
  bytes_received: count,
  statuses: z.record(z.string(), count).describe(
    "Number of responses by status; `0` counts requests without a response",
  ),
  http_req_duration: trendStats,
  series: endpointSeries.optional().describe("Requests over time; absent if there were none"),
});

/**
 * Statistics of one endpoint, that is, of the requests with the same scenario, group, name and
 * method.
 */
export type EndpointStats = Immutable<z.infer<typeof endpointStats>>;

export const errorStats = z.object({
  kind: z.enum(ERROR_KINDS),
  scenario: z.string(),
  name: z.string().describe("Name of the endpoint"),
  count,
  message: z.string().describe(
    "Message of the first error of this kind; contains recorded text, so escape it for display",
  ),
});

/** Number of requests to one endpoint that failed with one kind of error. */
export type ErrorStats = Immutable<z.infer<typeof errorStats>>;

const headers = z.array(z.string()).describe("Headers in the form `name: value`");
const body = z.string().optional().describe(
  "At most 2,000 characters of the body; a note in parentheses if it is not text; absent if it is " +
    "empty",
);

const failureSample = z.object({
  request: z.object({ method: z.string(), url: z.string(), headers, body }),
  response: z.object({ status: count, headers, body }).optional().describe(
    "The response; absent if there was none",
  ),
});

export const failureStats = z.object({
  ...within,
  name: z.string().describe("Name of the endpoint"),
  method: z.string(),
  status: count.describe("Status of the response; 0 if there was none"),
  kind: z.enum(ERROR_KINDS).optional().describe(
    "Kind of error; absent if the request failed only because of its status",
  ),
  message: z.string().optional().describe(
    "Message of the first failure; contains recorded text, so escape it for display",
  ),
  count,
  sample: failureSample.optional().describe(
    "One of the failed requests and its response, without secrets; contains recorded text; absent if " +
      "there are more than 25 kinds of failure or the request was not sent",
  ),
});

/** Failed requests to one endpoint that have the same status and kind of error. */
export type FailureStats = Immutable<z.infer<typeof failureStats>>;

export const groupStats = z.object({
  ...within,
  duration: trendStats.describe("Durations of the group's completed executions, in ms"),
});

/** Statistics of a group's durations. */
export type GroupStats = Immutable<z.infer<typeof groupStats>>;
