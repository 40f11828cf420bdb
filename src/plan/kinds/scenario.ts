import * as z from "zod";
import { flow } from "./steps.ts";
import { thinkTime } from "./think_time.ts";
import { duration, rate, tags } from "../values/values.ts";

/** Definition of an executor in the plan language. `engine/kinds/executors` runs it. */
export type ExecutorVariant<Schema extends z.ZodObject> = ExecutorFacts<z.infer<Schema>> & {
  /** Schema of the scenario. Its first key is the literal `executor`. */
  readonly schema: Schema;
};

/** The definition of an executor without its schema. */
export type ExecutorFacts<Scenario> = LoadFacts<Scenario> & (ClosedModel | OpenModel<Scenario>);

interface LoadFacts<Scenario> {
  /**
   * Whether the `target` of each stage is a number of VUs or a rate. Null if the executor has no
   * stages.
   */
  readonly stageTargets: "VUs" | "rates" | null;
  /** Returns a copy of the scenario with the changes applied to its load. */
  withLoad(scenario: Scenario, changes: LoadChanges): Scenario;
  /** Returns the maximum number of VUs that the scenario runs at the same time. */
  maxVus(scenario: Scenario): number;
  /**
   * Returns the number of iterations of the scenario that a shard runs, or `Infinity` if the
   * executor does not limit their number. `countInShard(count)` returns how many of `count` items
   * belong to the shard.
   */
  plannedIterations(scenario: Scenario, countInShard: (count: number) => number): number;
  /**
   * Returns the initial number of VUs of a scenario. Present only for executors that let the user
   * change the number of VUs during the run.
   */
  controlledVus?(scenario: Scenario): number;
}

/** In a closed model, each VU starts an iteration as soon as its previous one ends. */
interface ClosedModel {
  readonly model: "closed";
}

/** In an open model, iterations start at a planned rate, regardless of how long responses take. */
interface OpenModel<Scenario> {
  readonly model: "open";
  /**
   * Returns the planned rate over time as at least two points, with a linear ramp between
   * consecutive points.
   */
  rateCurve(scenario: Scenario): RatePoint[];
}

/** The planned rate at a point in time. */
export interface RatePoint {
  /** Time after the start of the scenario, in seconds. */
  readonly seconds: number;
  /** Iterations started per second. */
  readonly rate: number;
}

/**
 * Changes to the load of scenarios from command-line options. Absent properties leave the load
 * unchanged.
 */
export interface LoadChanges {
  /**
   * Number of VUs of each scenario. For `ramping-vus`, this is the highest target, and the other
   * targets are scaled in proportion.
   */
  readonly vus?: number;
  /** Number of iterations: per VU for `per-vu-iterations`, in total for `shared-iterations`. */
  readonly iterations?: number;
  /**
   * Duration of each scenario, such as `30s`. The durations of stages are scaled in proportion. For
   * executors with a fixed number of iterations, this is the maximum duration.
   */
  readonly duration?: string;
  /**
   * Factor for all arrival rates. A factor above 1 also multiplies the number of VUs of
   * arrival-rate scenarios.
   */
  readonly rateScale?: number;
}

/** Schemas of the keys that all scenarios share, regardless of executor. */
export const scenarioKeys = {
  after: z.string().optional().meta({
    description:
      "Name of another scenario, whose iterations must all end before this scenario starts " +
      "(default: this scenario starts with the run)",
    examples: ["browse"],
  }),
  start_time: duration.optional().describe(
    "Delay before this scenario starts, measured from the start of the run, or from the end of the " +
      "scenario `after` (default: 0)",
  ),
  graceful_stop: duration.optional().describe(
    "Time allowed for iterations in progress to finish after the scenario ends (default: 30s)",
  ),
  think_time: thinkTime.optional().describe(
    "Pause between the requests of the flow (default: `defaults.think_time`)",
  ),
  pacing: z.strictObject({
    iterations_per_second: rate.meta({
      description: "Maximum number of iterations per second for each VU",
      examples: [0.5],
    }),
  }).optional().describe(
    "Limits the iteration rate of each VU; has no effect with arrival-rate executors",
  ),
  throttle: z.strictObject({
    requests_per_second: rate.meta({
      description: "Maximum number of requests per second for the scenario",
      examples: [100],
    }),
  }).optional().describe("Limits the request rate of the whole scenario"),
  new_user: z.boolean().optional().describe(
    "Start each iteration without the cookies and extracted variables of the previous one " +
      "(default: false)",
  ),
  new_connections: z.boolean().optional().describe(
    "Close the connections of a VU at the end of each iteration (default: false)",
  ),
  tags: tags.optional().meta({
    description: "Tags to add to every sample of the scenario",
    examples: [{ visitor: "guest" }],
  }),
  flow: flow.describe("Steps of one iteration, run in order"),
};
