import { z } from "zod";
import { parseShard } from "../../plan/partition.ts";
import type { ErrorKind } from "../../http/sender.ts";
import { type MergeFlaw, RUN_FAILURES, type Summary, SUMMARY_SCHEMA } from "./summary.ts";
import { fromVersion1 } from "./summary_v1.ts";

// A record lets the compiler find a missing kind.
const ERROR_KINDS: Record<ErrorKind, true> = {
  dns: true,
  refused: true,
  connect: true,
  tls: true,
  timeout: true,
  reset: true,
  closed: true,
  protocol: true,
  too_large: true,
  redirects: true,
  template: true,
  extract: true,
  assert: true,
  body: true,
  cancelled: true,
};

const FLAWS: Record<MergeFlaw, true> = {
  missing: true,
  interrupted: true,
  aborted: true,
  shifted: true,
  "unknown-plan": true,
};

const count = z.number().int().nonnegative();
const ms = z.number().nonnegative();

const trend = z.object({
  count,
  avg: ms,
  min: ms,
  med: ms,
  max: ms,
  "p(90)": ms,
  "p(95)": ms,
  "p(99)": ms,
  "p(99.9)": ms,
}).meta({ id: "trend", description: "milliseconds; all 0 without samples" });

const metric = z.union([
  z.object({ count, rate: z.number().nonnegative().describe("per second of the run") })
    .meta({ id: "counter" }),
  z.object({ value: z.number().min(0).max(1), passes: count, fails: count })
    .meta({ id: "rate", description: "for http_req_failed, `passes` counts the failed requests" }),
  z.object({ value: z.number(), min: z.number(), max: z.number() }).meta({ id: "gauge" }),
  trend,
]);

const within = { scenario: z.string(), group: z.string().describe("::outer::inner, or empty") };
const encoded = z.string().describe("HdrHistogram V2, compressed, base64; in µs; empty: no values");

const timelinePoint = z.object({
  at: count.describe("seconds from the start to the end of this second"),
  vus: count.describe("maximum number of busy VUs"),
  scheduled: z.number().describe("iterations that open-model schedules contain"),
  started: count,
  dropped: count,
  requests: count.describe("requests sent"),
  failed: count.describe("including requests that could not be sent"),
  unsent: count.optional().describe("requests that could not be sent; absent: 0"),
  p50: ms.describe("http_req_duration of the requests that ended in this second"),
  p95: ms,
  p99: ms,
  histogram: encoded,
});

const endpointSeries = z.object({
  step: z.number().int().positive().describe(
    "seconds per interval; the first interval starts with the run",
  ),
  count: z.array(count).max(60).describe("requests that ended in each interval"),
  failed: z.array(count).max(60),
  avg: z.array(ms).max(60).describe("mean http_req_duration in each interval; 0: no requests"),
});

const passed = z.boolean().nullable();
const ending = z.enum(["finished", "interrupted", "threshold", "assertion"]);
const start = z.iso.datetime().describe("UTC");

// Unknown keys are accepted: a later version may have more.
const summarySchema: z.ZodType<Summary> = z.object({
  schema: z.literal(SUMMARY_SCHEMA).describe("raised when a key changes its meaning or is removed"),
  name: z.string(),
  plan_hash: z.string().nullable().describe(
    "SHA-256 of the plan as run and of its data files; null: an older version did not record it",
  ),
  started_at: start,
  duration_ms: ms,
  ending,
  passed: passed.describe(
    "null: unknown (thresholds not evaluated, run not complete, or no thresholds)",
  ),
  seed: z.number(),
  data_seed: z.number().nullable().describe("seed of shuffled data that VUs share; null: none"),
  shards: z.array(z.object({
    shard: z.string().refine((text) => parseShard(text) !== undefined)
      .describe("i/n; 1/1 is a whole run"),
    started_at: start,
    duration_ms: ms,
    ending,
  })).min(1).describe("shards that the summary covers"),
  accepted: z.array(z.object({
    flaw: z.enum(Object.keys(FLAWS) as MergeFlaw[]),
    message: z.string(),
  })).describe("why a merged summary is not the complete run"),
  failure: z.enum(RUN_FAILURES).optional().describe("why the run as a whole failed"),
  environment: z.object({
    version: z.string().describe("version of rehearse"),
    plan: z.string().describe("path of the plan; - is standard input"),
    targets: z.array(z.string()).describe("origins of the requests"),
    options: z.array(z.string()).describe(
      "options that change the load; only the names of variables",
    ),
    cores: count,
    workers: count.describe("threads that generated the load"),
  }).optional().describe("conditions of the run; in a merged summary, those of the first shard"),
  metrics: z.record(z.string(), metric).describe("by name; name{tag:value} is a sub-metric"),
  thresholds: z.array(z.object({
    metric: z.string(),
    expression: z.string(),
    passed: passed.describe("null: not evaluated"),
    value: z.number().nullable().describe("null without samples"),
    optional: z.boolean().optional().describe("the threshold may match no sample; absent: false"),
    aborted: z.boolean().describe("the threshold aborted the run"),
  })),
  checks: z.array(z.object({ name: z.string(), ...within, passes: count, fails: count })),
  endpoints: z.array(z.object({
    ...within,
    name: z.string(),
    method: z.string(),
    count: count.describe("requests sent"),
    failed: count.describe("including requests that could not be sent"),
    unsent: count.optional().describe("requests that could not be sent; absent: 0"),
    bytes_sent: count,
    bytes_received: count,
    statuses: z.record(z.string(), count).describe("responses by status; 0: no response"),
    http_req_duration: trend,
    series: endpointSeries.optional(),
  })).describe("most requests first"),
  errors: z.array(z.object({
    kind: z.enum(Object.keys(ERROR_KINDS) as ErrorKind[]),
    scenario: z.string(),
    name: z.string(),
    count,
    message: z.string().describe("first message of that kind; contains recorded text"),
  })).describe("most frequent first"),
  scenarios: z.array(z.object({
    name: z.string(),
    executor: z.string(),
    iterations: count,
    interrupted: count,
    dropped: count,
    max_vus: count,
    schedule_lag_us: trend.nullable().describe("in µs; null for closed models"),
    scheduled_ms: ms.optional().describe(
      "duration of an open model's schedule, until it ended or was stopped",
    ),
  })),
  timeline: z.array(timelinePoint).describe("one point per second"),
  histograms: z.object({
    metrics: z.record(z.string(), encoded),
    endpoints: z.array(encoded).describe("in the order of endpoints"),
    scenarios: z.array(encoded).describe("in the order of scenarios: schedule lag"),
  }),
});

/** Returns the summary's JSON Schema (draft 2020-12). */
export function summaryJsonSchema(): object {
  return { ...z.toJSONSchema(summarySchema), title: "Summary of a rehearse run" };
}

/**
 * Validates a summary of schema version 1 or 2 and returns it as version 2. Returns the path of the
 * first invalid key as `fault` if it is invalid.
 */
export function shapedSummary(
  value: object & { readonly schema?: unknown },
): { readonly summary: Summary } | { readonly fault: readonly PropertyKey[] } {
  const current = value.schema === 1 ? fromVersion1(value) : { summary: value };
  if ("fault" in current) return current;
  const { data, error } = summarySchema.safeParse(current.summary);
  return data === undefined ? { fault: error.issues[0].path } : { summary: data };
}
