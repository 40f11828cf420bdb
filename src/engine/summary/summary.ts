import * as z from "zod";
import { releasedFile } from "../../base/release.ts";
import { parseShard } from "../../plan/partition.ts";
import {
  checkStats,
  count,
  endpointStats,
  errorStats,
  failureStats,
  groupStats,
  type Immutable,
  metricStats,
  ms,
  trendStats,
  unsent,
} from "./flow_stats.ts";
import {
  ENDINGS,
  mapPercentiles,
  MERGE_FLAWS,
  RUN_FAILURES,
  SCENARIO_ENDS,
  SUMMARY_SCHEMA,
} from "./codes.ts";

// This schema is the only definition of the summary. Its types, its validation and
// docs/summary.schema.json derive from it. The engine imports only types from this module.

const name = z.string();
const start = z.iso.datetime();
const ending = z.enum(ENDINGS);
const passed = z.boolean().nullable();

const thresholdVerdict = z.object({
  metric: z.string().describe(
    "Metric name and tag selector as written in the plan, such as `http_req_duration{name:login}`",
  ),
  expression: z.string().describe("Expression such as `p(95)<400`"),
  passed: passed.describe(
    "True if the threshold passed; null if it was not evaluated, as in a shard or with `run --once`",
  ),
  value: z.number().nullable().describe(
    "Aggregated value in the unit of the metric; null if no samples matched the selector",
  ),
  optional: z.boolean().optional().describe(
    "True if the threshold passes even if no samples match its selector; absent means false",
  ),
  aborted: z.boolean().describe("True if the threshold aborted the run (`abort_on_fail`)"),
});

/** Result of one threshold. */
export type ThresholdVerdict = Immutable<z.infer<typeof thresholdVerdict>>;

const scenarioSummary = z.object({
  name,
  executor: z.string(),
  planned: count.optional().describe(
    "Number of iterations that the plan schedules or limits; absent if it depends on response times",
  ),
  started: count.describe("Number of iterations started"),
  ended: z.enum(SCENARIO_ENDS).describe("Reason why the scenario ended"),
  iterations: count.describe("Number of iterations finished"),
  interrupted: count.describe(
    "Number of iterations canceled at the end of `graceful_stop` or `graceful_ramp_down`",
  ),
  dropped: count.describe(
    "Number of planned iterations that did not start because no VU was free, the time ran out, or an " +
      "assertion aborted the scenario",
  ),
  max_vus: count,
  schedule_lag_us: trendStats.nullable().describe(
    "Delay from the scheduled to the actual start of iterations, in µs; null for closed models",
  ),
  scheduled_ms: ms.optional().describe(
    "How long an open model's schedule ran, in ms, before it ended or was stopped; absent for " +
      "closed models",
  ),
  start_delay_ms: ms.optional().describe(
    "Longest delay from the planned to the actual start of a VU of a closed model, in ms; absent if " +
      "there was no delay",
  ),
  unstarted_vus: count.optional().describe(
    "Number of VUs of a closed model that had not started at the end of the schedule; absent if all " +
      "started",
  ),
});

/** Result of a scenario. */
export type ScenarioSummary = Immutable<z.infer<typeof scenarioSummary>>;

const encoded = z.string().describe(
  "HdrHistogram V2 in µs with 3 significant digits, compressed and Base64-encoded; empty if there " +
    "are no values",
);

const timelinePoint = z.object({
  at: count.describe("Seconds from the start of the run to the end of this one-second interval"),
  vus: count.describe("Maximum number of VUs that were busy at the same time in this interval"),
  scheduled: z.number().describe(
    "Number of iterations that open models scheduled for this interval, plus the number of " +
      "iterations that closed models started",
  ),
  started: count,
  dropped: count,
  requests: count.describe("Number of sent requests that ended in this interval"),
  failed: count.describe(
    "Number of requests that failed, including those that could not be sent",
  ),
  unsent,
  ...mapPercentiles((percent) =>
    ms.describe(
      `${percent}th percentile of \`http_req_duration\` in ms, for requests that ended in this ` +
        "interval; 0 if there were none",
    )
  ),
  histogram: encoded,
});

/** Counts for one second of the run. */
export type TimelinePoint = Immutable<z.infer<typeof timelinePoint>>;

const shardRun = z.object({
  shard: z.string().refine((text) => parseShard(text) !== undefined).describe(
    "Shard as `i/n`, where `i` counts from 1; `1/1` is a whole run",
  ),
  started_at: start.describe("Start time in UTC, from the clock of the machine that ran the shard"),
  duration_ms: ms,
  ending,
});

/** One shard of a run, or the whole run. */
export type ShardRun = Immutable<z.infer<typeof shardRun>>;

const acceptedFlaw = z.object({
  flaw: z.enum(MERGE_FLAWS),
  message: z.string().describe(
    "Message that lists the affected shards; does not contain recorded text",
  ),
});

/**
 * Reason why the shards do not form one complete run, such as a missing shard. `rehearse merge`
 * merges such shards only if `--allow` accepts the reason.
 */
export type AcceptedFlaw = Immutable<z.infer<typeof acceptedFlaw>>;

const runEnvironment = z.object({
  version: z.string().describe("Version of rehearse"),
  plan: z.string().describe(
    "Path of the plan as given on the command line; `-` means standard input",
  ),
  targets: z.array(z.string()).describe(
    "Origins of the requests, such as `https://shop.example:8443`, without user names",
  ),
  options: z.array(z.string()).describe(
    "Options that change the load, such as `--rate-scale 2`; for variables, only their names",
  ),
  cores: count.describe("Number of CPU cores of the machine"),
  workers: count.describe("Number of threads that generated the load"),
});

/** Environment of a run: its plan, targets and options, and the machine that generated the load. */
export type RunEnvironment = Immutable<z.infer<typeof runEnvironment>>;

const loadChange = z.object({
  at_ms: ms.describe("Milliseconds from the start of the run to the change"),
  paused: z.boolean().describe("True if the load is paused after this change: no iterations start"),
  rate: z.number().describe("Factor that multiplies the planned arrival rates; 1 means as planned"),
  vus: z.record(z.string(), count).describe(
    "Number of VUs of each `externally-controlled` scenario that the change affects, by scenario name",
  ),
});

const lossyOutput = z.object({
  name: z.string().describe("Type and target of the output"),
  written: count,
  dropped: count,
  error: z.string().optional().describe("First error; absent if no error occurred"),
});

/** Change that the user made to the load during the run. */
export type LoadChange = Immutable<z.infer<typeof loadChange>>;

/**
 * Schema of the JSON that `--summary-export` writes. It accepts unknown keys, because a later
 * version may add some.
 */
const summarySchema = z.object({
  schema: z.literal(SUMMARY_SCHEMA).describe(
    "Version of this format; increases when a key is removed or its meaning changes",
  ),
  name: z.string(),
  plan_hash: z.string().describe(
    "SHA-256 (hex) of the plan as it was run, with options and overlay applied, and of its data files",
  ),
  started_at: start.describe("Start time in UTC"),
  duration_ms: ms.describe(
    "Milliseconds from the start of the run to the end of the last iteration",
  ),
  ending,
  passed: passed.describe(
    "False if a threshold failed, the run was aborted or there is a `failure`; true if all " +
      "thresholds passed and the run is complete; otherwise null (unknown), for example if the plan " +
      "has no thresholds",
  ),
  seed: z.number().describe(
    "Seed for random numbers; runs with the same seed draw the same numbers",
  ),
  data_seed: z.number().nullable().describe(
    "Seed for shuffling the data that VUs share; null if the plan has no such data",
  ),
  shards: z.array(shardRun).min(1).describe("Shards that this summary covers"),
  accepted: z.array(acceptedFlaw).describe(
    "Reasons why a merged summary does not cover one complete run; empty if the summary is not merged",
  ),
  incomplete: z.array(z.string()).min(1).optional().describe(
    "Reasons why the run did less than planned; absent if there are none, in a shard, and with " +
      "`--allow incomplete`",
  ),
  failure: z.enum(RUN_FAILURES).optional().describe(
    "Reason why the run failed as a whole; absent otherwise",
  ),
  environment: runEnvironment.optional().describe(
    "Conditions under which the run was started; in a merged summary, those of the first shard",
  ),
  unchecked: z.boolean().optional().describe(
    "True if the plan replays recorded requests, and none of its requests has a check or an assertion: " +
      "a response that differs from the recording, such as a refused login, then counts as successful " +
      "if its status is below 400; absent otherwise",
  ),
  lossy_outputs: z.array(lossyOutput).optional().describe(
    "Outputs that lost data or could not be written; absent if there are none",
  ),
  changes: z.array(loadChange).optional().describe(
    "Manual changes to the load during the run; absent if there were none",
  ),
  metrics: z.record(z.string(), metricStats).describe(
    "Metrics by name, including the sub-metrics that thresholds select (`name{tag:value}`)",
  ),
  thresholds: z.array(thresholdVerdict),
  checks: z.array(checkStats),
  endpoints: z.array(endpointStats).describe(
    "Endpoints, sorted by number of requests, highest first",
  ),
  errors: z.array(errorStats).describe("Errors, sorted by frequency, highest first"),
  failures: z.array(failureStats).describe(
    "Failed requests by endpoint, status and kind of error, sorted by frequency, highest first",
  ),
  groups: z.array(groupStats).describe("Durations of groups, in the order of their first steps"),
  scenarios: z.array(scenarioSummary),
  timeline: z.array(timelinePoint).describe("One point per second"),
  histograms: z.object({
    metrics: z.record(z.string(), encoded).describe("Histogram of each trend by name"),
    endpoints: z.array(encoded).describe(
      "Histogram of each endpoint's `http_req_duration`, in the order of `endpoints`",
    ),
    groups: z.array(encoded).describe(
      "Histogram of each group's durations, in the order of `groups`",
    ),
    scenarios: z.array(encoded).describe(
      "Histogram of each scenario's schedule lag, in the order of `scenarios`; empty for closed models",
    ),
  }),
});

/** Result of a run. Reports are built from it, and `--summary-export` writes it as JSON. */
export type Summary = Immutable<z.infer<typeof summarySchema>>;

/** Returns the summary's JSON Schema (draft 2020-12). */
export function summaryJsonSchema(): object {
  const $id = releasedFile("docs/summary.schema.json");
  return { $id, ...z.toJSONSchema(summarySchema), title: "Summary of a rehearse run" };
}

/** Validates the JSON of a summary. If it is invalid, states why as `fault`. */
export function parseSummary(
  value: unknown,
): { readonly summary: Summary } | { readonly fault: string } {
  if (typeof value !== "object" || value === null) return { fault: "it is not a JSON object" };
  const { schema } = value as { readonly schema?: unknown };
  if (schema === undefined) return { fault: "it has no schema version" };
  if (schema !== SUMMARY_SCHEMA) {
    const found = JSON.stringify(schema);
    const reads = `this version of rehearse reads version ${SUMMARY_SCHEMA}`;
    return { fault: `its schema version is ${found}, but ${reads}` };
  }
  const { data, error } = summarySchema.safeParse(value);
  if (data !== undefined) return { summary: data };
  const [{ path }] = error.issues;
  const found = path.reduce<unknown>((inner, key) => Object(inner)[key], value);
  const name = path.map(String).join(".");
  return { fault: `\`${name}\` ${found === undefined ? "is missing" : "has an invalid value"}` };
}
