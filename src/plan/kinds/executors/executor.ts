import { z } from "zod";
import { duration, rate, tags } from "../../values/values.ts";
import { flow } from "../steps/steps.ts";
import { thinkTime } from "../steps/think_time.ts";

/** Definition of an executor in the plan language. `engine/kinds/executors` runs it. */
export type ExecutorVariant<Schema extends z.ZodObject> = ExecutorFacts<z.infer<Schema>> & {
  /** Schema of the scenario. Its first key is the literal `executor`. */
  readonly schema: Schema;
};

/** What other code asks about the scenarios of an executor. */
export type ExecutorFacts<Scenario> = LoadFacts<Scenario> & (ClosedModel | OpenModel<Scenario>);

interface LoadFacts<Scenario> {
  /** What the `target` of each stage is. Null if scenarios of the executor have no stages. */
  readonly stageTargets: "VUs" | "rates" | null;
  /** Returns the scenario with a changed load and the same flow. */
  withLoad(scenario: Scenario, changes: LoadChanges): Scenario;
  /** Returns the maximum number of VUs that the scenario runs at the same time. */
  maxVus(scenario: Scenario): number;
  /**
   * Returns the number of iterations of the scenario in a shard. Returns `Infinity` if the executor
   * does not limit their number. `countInShard` returns how many of a number of items belong to the
   * shard.
   */
  plannedIterations(scenario: Scenario, countInShard: (count: number) => number): number;
}

/** In a closed model, each VU starts an iteration as soon as its previous one has ended. */
interface ClosedModel {
  readonly model: "closed";
}

/**
 * In an open model, iterations start at a planned rate, however long the responses of the target
 * take.
 */
interface OpenModel<Scenario> {
  readonly model: "open";
  /**
   * Returns the planned rate over time: at least two points, with a linear ramp between one point
   * and the next.
   */
  rateCurve(scenario: Scenario): RatePoint[];
}

/** The planned rate at one time. */
export interface RatePoint {
  /** Time after the start of the scenario, in seconds. */
  readonly seconds: number;
  /** Iterations started per second. */
  readonly rate: number;
}

/**
 * Changes to the load of scenarios from options of the command line. Absent properties leave the
 * load unchanged.
 */
export interface LoadChanges {
  /**
   * Number of VUs of each scenario. For `ramping-vus`, it is the highest target, and the other
   * targets keep their proportions.
   */
  readonly vus?: number;
  /**
   * Number of iterations: of each VU for `per-vu-iterations`, of all VUs for `shared-iterations`.
   */
  readonly iterations?: number;
  /** Duration of each scenario, such as `30s`. Stages keep their proportions. */
  readonly duration?: string;
  /**
   * Factor for all arrival rates. A factor above 1 also multiplies the VUs of the scenarios that
   * have an arrival rate.
   */
  readonly rateScale?: number;
}

/** Schemas of the keys that the scenarios of all executors have. */
export const scenarioKeys = {
  start_time: duration.optional().describe(
    "Delay between the start of the run and of this scenario (default: 0)",
  ),
  graceful_stop: duration.optional().describe(
    "Time that running iterations have to finish after the scenario ends (default: 30s)",
  ),
  think_time: thinkTime.optional().describe(
    "Pause between the requests of the flow (default: `defaults.think_time`)",
  ),
  pacing: z.strictObject({
    iterations_per_second: rate.describe("Maximum number of iterations per second of each VU"),
  }).optional().describe("Limit on the iterations of each VU"),
  throttle: z.strictObject({
    requests_per_second: rate.describe("Maximum number of requests per second of the scenario"),
  }).optional().describe("Limit on the requests of the whole scenario"),
  tags: tags.optional().describe("Tags of every sample of the scenario"),
  flow: flow.describe("Steps of one iteration, run in order"),
};
