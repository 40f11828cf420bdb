import * as z from "zod";
import { SCENARIO_ENDS } from "../../../engine/summary/codes.ts";
import { ERROR_KINDS } from "../../../http/sender.ts";
import { count, LARGE_BYTES, type MessageKind, processId } from "./message_kind.ts";

/**
 * Name or message from the plan or a response. Its length is limited only by the maximum size of
 * the message.
 */
const text = z.string();
const within = { scenario: text, group: text };

/**
 * Histogram of the values added since the last delta. `min` and `max` are the extremes of all
 * values so far.
 */
const histogram = z.strictObject({ buckets: text, sum: count, min: count, max: count });
/** Change in a count since the last delta. It is negative if it corrects the count downward. */
const change = z.number();

/** Finite value of a gauge, which can be negative or a fraction. */
const number = z.number();

/** Changes in the timeline's counts for one second of the run. */
const point = z.strictObject({
  at: count,
  vus: change,
  scheduled: change,
  started: change,
  dropped: change,
  requests: change,
  failed: change,
  unsent: change,
  histogram,
});

const scenario = z.strictObject({
  name: text,
  executor: text,
  /** Null if the number of iterations is not planned. */
  planned: count.nullable(),
  started: count,
  /** Null until the scenario has ended. */
  ended: z.enum(SCENARIO_ENDS).nullable(),
  iterations: count,
  interrupted: count,
  dropped: count,
  max_vus: count,
  /** Duration of the schedule so far in ms; null for closed models. */
  scheduled_ms: z.number().min(0).nullable(),
  /** Longest start delay of a VU so far, in ms. Only VUs of closed models count. */
  start_delay_ms: z.number().min(0),
  unstarted_vus: count,
  /** Maximum number of VUs that were busy at the same time in the last second of this delta. */
  vus: count,
  /** Number of VUs that were busy at the end of the last second of this delta. */
  at_work: count,
  /** Schedule lag in µs; null for closed models. */
  lag: histogram.nullable(),
});

const endpoint = z.strictObject({
  ...within,
  name: text,
  method: text,
  count,
  failed: count,
  unsent: count,
  omitted_headers: count,
  bytes_sent: count,
  bytes_received: count,
  statuses: z.record(z.string().regex(/^\d{1,3}$/), count),
  histogram,
});

/**
 * Text in the sample of a failed request, such as a URL or a body. The shard shortens it before it
 * sends the sample.
 */
const sampled = z.string().max(3_000);
const headers = z.array(sampled).max(50);
const failure = z.strictObject({
  ...within,
  name: text,
  method: text,
  status: count,
  kind: z.enum(ERROR_KINDS).optional(),
  message: text.optional(),
  count,
  /** Example of a failed request, with its response. Present in the last delta only. */
  sample: z.strictObject({
    request: z.strictObject({ method: text, url: sampled, headers, body: sampled.optional() }),
    response: z.strictObject({ status: count, headers, body: sampled.optional() }).optional(),
  }).optional(),
});

const schema = z.strictObject({
  from: processId,
  /** Sequence number of this delta, starting at 1. */
  seq: count.min(1),
  /** Last second of the run that this delta and the earlier ones cover completely. */
  second: count,
  /** Time from the start of the run to this delta, in ms. */
  elapsed_ms: z.number().min(0),
  counters: z.record(z.string(), count),
  rates: z.record(z.string(), z.strictObject({ passes: count, total: count })),
  /** Current values of the gauges, not changes since the last delta. */
  gauges: z.record(z.string(), z.strictObject({ value: number, min: number, max: number })),
  trends: z.record(z.string(), histogram),
  points: z.array(point),
  scenarios: z.array(scenario),
  checks: z.array(
    z.strictObject({ ...within, name: text, request: text, passes: count, fails: count }),
  ),
  endpoints: z.array(endpoint),
  failures: z.array(failure).optional(),
  groups: z.array(z.strictObject({ ...within, histogram })).optional(),
  errors: z.array(
    z.strictObject({ kind: z.enum(ERROR_KINDS), scenario: text, name: text, count, message: text }),
  ),
});

/**
 * Sent once per second by a process that runs a shard. Contains everything that the shard counted
 * since the last delta. The sum of all deltas is the result of the shard. A delta is resent until
 * the leader acknowledges it.
 */
export const delta: MessageKind<typeof schema> = { schema, maxBytes: LARGE_BYTES };
