import { z } from "zod";
import { flow, thinkTime } from "./step.ts";
import { countOrZero, countSchema, duration, rate, rateOrZero, tags } from "./values.ts";

const common = {
  start_time: duration.optional().describe("when it starts, after the run's start (0)"),
  graceful_stop: duration.optional().describe(
    "what iterations in flight are given at the end (30s)",
  ),
  think_time: thinkTime.optional().describe("pause between the requests of a flow"),
  pacing: z.strictObject({ iterations_per_second: rate }).optional()
    .describe("most iterations a second of each VU"),
  throttle: z.strictObject({ requests_per_second: rate }).optional()
    .describe("most requests a second of the whole scenario"),
  tags: tags.optional(),
  flow: flow.describe("what one iteration does"),
};

const rateStage = z.strictObject({ duration, target: rateOrZero }).meta({ id: "rate_stage" });
const vuStage = z.strictObject({ duration, target: countOrZero }).meta({ id: "vu_stage" });

const stages = z.array(rateStage).min(1)
  .describe("each moves in a straight line to `target`");
const vuStages = z.array(vuStage).min(1)
  .describe("each moves in a straight line to `target`");

const arrival = {
  time_unit: duration.optional().describe("what rates are per (1s)"),
  pre_allocated_vus: countOrZero.describe("VUs made before the start"),
  max_vus: countSchema.optional().describe("most VUs (pre_allocated_vus)"),
};

/** Each executor's schema, by name. */
export const EXECUTORS = {
  "constant-vus": z.strictObject({
    executor: z.literal("constant-vus"),
    vus: countSchema,
    duration,
    ...common,
  }),
  "ramping-vus": z.strictObject({
    executor: z.literal("ramping-vus"),
    start_vus: countOrZero.optional().describe("(0)"),
    stages: vuStages,
    graceful_ramp_down: duration.optional().describe("what a VU no longer wanted is given (30s)"),
    ...common,
  }),
  "per-vu-iterations": z.strictObject({
    executor: z.literal("per-vu-iterations"),
    vus: countSchema,
    iterations: countSchema.describe("of each VU"),
    max_duration: duration.optional().describe("(10m)"),
    ...common,
  }),
  "shared-iterations": z.strictObject({
    executor: z.literal("shared-iterations"),
    vus: countSchema,
    iterations: countSchema.describe("in all"),
    max_duration: duration.optional().describe("(10m)"),
    ...common,
  }),
  "constant-arrival-rate": z.strictObject({
    executor: z.literal("constant-arrival-rate"),
    rate: rate.describe("iterations started per time_unit"),
    duration,
    ...arrival,
    ...common,
  }),
  "ramping-arrival-rate": z.strictObject({
    executor: z.literal("ramping-arrival-rate"),
    start_rate: rateOrZero.optional().describe("(0)"),
    stages,
    ...arrival,
    ...common,
  }),
} as const;

/** A scenario: a flow, and when and how often it is played. */
export const scenario = z.discriminatedUnion("executor", [
  EXECUTORS["constant-vus"],
  EXECUTORS["ramping-vus"],
  EXECUTORS["per-vu-iterations"],
  EXECUTORS["shared-iterations"],
  EXECUTORS["constant-arrival-rate"],
  EXECUTORS["ramping-arrival-rate"],
]).meta({ kind: "scenario" });

export type ExecutorName = keyof typeof EXECUTORS;
export type Scenario = z.infer<typeof scenario>;
/** The scenario of one executor. */
export type ScenarioOf<E extends ExecutorName> = Extract<Scenario, { executor: E }>;
