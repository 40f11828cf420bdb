import { z } from "zod";
import { duration, rate, tags } from "../../values/values.ts";
import { flow } from "../steps/steps.ts";
import { thinkTime } from "../steps/think_time.ts";

/** The language half of an executor. */
export type ExecutorVariant<Schema extends z.ZodObject> = ExecutorFacts<z.infer<Schema>> & {
  /** Schema of the scenario, with the literal `executor` as its first key. */
  readonly schema: Schema;
};

/** Facts about the scenarios of an executor. */
export type ExecutorFacts<Scenario> = LoadFacts<Scenario> & (ClosedModel | OpenModel<Scenario>);

interface LoadFacts<Scenario> {
  /** What the targets of the stages are; null if the executor has no stages. */
  readonly stageTargets: "VUs" | "rates" | null;
  /** Returns the scenario with its load changed. The flow stays the same. */
  withLoad(scenario: Scenario, changes: LoadChanges): Scenario;
  /** Returns the maximum number of VUs that the scenario has at once. */
  maxVus(scenario: Scenario): number;
  /**
   * Returns the number of iterations in a shard, or `Infinity` if the executor has no fixed number.
   * `countInShard` returns how many of a number of items belong to the shard.
   */
  plannedIterations(scenario: Scenario, countInShard: (count: number) => number): number;
}

/** VUs start an iteration as soon as their last one has ended. */
interface ClosedModel {
  readonly model: "closed";
}

/** Iterations start at a rate that does not depend on the response times of the target. */
interface OpenModel<Scenario> {
  readonly model: "open";
  /** Returns the planned rate over time, linear between the points, of which there are at least two. */
  rateCurve(scenario: Scenario): RatePoint[];
}

/** A point of a planned rate. */
export interface RatePoint {
  /** Time after the start of the scenario, in seconds. */
  readonly seconds: number;
  /** Iterations started per second. */
  readonly rate: number;
}

/** Changes from the command line to a scenario's load. Absent properties leave the load unchanged. */
export interface LoadChanges {
  /** Number of VUs of each scenario; for `ramping-vus`, the highest target. */
  readonly vus?: number;
  /** Number of iterations: per VU or in total, depending on the executor. */
  readonly iterations?: number;
  /** Duration of each scenario, such as `30s`. Stages keep their proportions. */
  readonly duration?: string;
  /**
   * Factor for each arrival rate. If it is above 1, it also multiplies the VUs of scenarios with an
   * arrival rate.
   */
  readonly rateScale?: number;
}

/** Keys of every scenario. */
export const scenarioKeys = {
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
