import { z } from "zod";
import { flow, thinkTime } from "../steps/steps.ts";
import { countOrZero, countSchema, duration, rate, rateOrZero, tags } from "../../values/values.ts";

const common = {
  start_time: duration.optional().describe(
    "Delay between the start of the run and of this scenario (default: 0)",
  ),
  graceful_stop: duration.optional().describe(
    "Time that running iterations have to finish at the end (default: 30s)",
  ),
  think_time: thinkTime.optional().describe(
    "Pause between the requests of the flow (default: `defaults.think_time`)",
  ),
  pacing: z.strictObject({
    iterations_per_second: rate.describe("Maximum iterations per second of each VU"),
  }).optional().describe("Limit on the iterations of each VU"),
  throttle: z.strictObject({
    requests_per_second: rate.describe("Maximum requests per second of the scenario"),
  }).optional().describe("Limit on the requests of the whole scenario"),
  tags: tags.optional().describe("Tags of every sample of the scenario"),
  flow: flow.describe("Steps of one iteration, run in order"),
};

const length = duration.describe("Time for which iterations are started");
const stageLength = duration.describe("Duration of the stage");
const rateStage = z.strictObject({
  duration: stageLength,
  target: rateOrZero.describe("Rate at the end of the stage, per `time_unit`"),
}).meta({ id: "rate_stage" });
const vuStage = z.strictObject({
  duration: stageLength,
  target: countOrZero.describe("Number of VUs at the end of the stage"),
}).meta({ id: "vu_stage" });

const stages = z.array(rateStage).min(1)
  .describe("Stages, each a linear ramp from the previous rate to `target`");
const vuStages = z.array(vuStage).min(1)
  .describe("Stages, each a linear ramp from the previous number of VUs to `target`");

const vus = countSchema.describe("Number of VUs");
const maxDuration = duration.optional().describe("Maximum duration of the scenario (default: 10m)");
const arrival = {
  time_unit: duration.optional().describe("Period to which rates refer (default: 1s)"),
  pre_allocated_vus: countOrZero.describe("VUs created before the start"),
  max_vus: countSchema.optional().describe(
    "Maximum number of VUs (default: the value of `pre_allocated_vus`)",
  ),
};

/** The schema of each executor, by name. */
export const EXECUTORS = {
  "constant-vus": z.strictObject({
    executor: z.literal("constant-vus").describe(
      "A fixed number of VUs runs iterations for a duration",
    ),
    vus,
    duration: length,
    ...common,
  }),
  "ramping-vus": z.strictObject({
    executor: z.literal("ramping-vus").describe("The number of VUs follows the stages"),
    start_vus: countOrZero.optional().describe("Number of VUs at the start (default: 0)"),
    stages: vuStages,
    graceful_ramp_down: duration.optional().describe(
      "Time that a VU has to finish its iteration when the number of VUs falls (default: 30s)",
    ),
    ...common,
  }),
  "per-vu-iterations": z.strictObject({
    executor: z.literal("per-vu-iterations").describe("Each VU runs a fixed number of iterations"),
    vus,
    iterations: countSchema.describe("Number of iterations of each VU"),
    max_duration: maxDuration,
    ...common,
  }),
  "shared-iterations": z.strictObject({
    executor: z.literal("shared-iterations").describe("The VUs share a fixed number of iterations"),
    vus,
    iterations: countSchema.describe("Number of iterations of all VUs together"),
    max_duration: maxDuration,
    ...common,
  }),
  "constant-arrival-rate": z.strictObject({
    executor: z.literal("constant-arrival-rate").describe(
      "Iterations start at a fixed rate, independent of response times",
    ),
    rate: rate.describe("Iterations started per `time_unit`"),
    duration: length,
    ...arrival,
    ...common,
  }),
  "ramping-arrival-rate": z.strictObject({
    executor: z.literal("ramping-arrival-rate").describe(
      "Iterations start at a rate that follows the stages, independent of response times",
    ),
    start_rate: rateOrZero.optional().describe("Rate at the start, per `time_unit` (default: 0)"),
    stages,
    ...arrival,
    ...common,
  }),
} as const;

/** A scenario: a flow, with an executor that defines when and how often it runs. */
export const scenario = z.discriminatedUnion("executor", [
  EXECUTORS["constant-vus"],
  EXECUTORS["ramping-vus"],
  EXECUTORS["per-vu-iterations"],
  EXECUTORS["shared-iterations"],
  EXECUTORS["constant-arrival-rate"],
  EXECUTORS["ramping-arrival-rate"],
]).meta({ kind: "scenario" });

export type ExecutorKind = keyof typeof EXECUTORS;
export type Scenario = z.infer<typeof scenario>;
/** The type of scenarios with executor `E`. */
export type ScenarioOf<E extends ExecutorKind> = Extract<Scenario, { executor: E }>;
