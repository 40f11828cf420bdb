import * as z from "zod";
import { isMap } from "../../base/exact_number.ts";
import { durationMs } from "../../base/format.ts";
import type { Path } from "../rules/diagnostic.ts";
import { countOrZero, countSchema, duration, rate, tags, thinkTime } from "../values/values.ts";
import { flow } from "./steps.ts";

/** Schema of `vus`, for executors with a fixed number of VUs. */
export const vus = countSchema.meta({ description: "Number of VUs", examples: [10] });

/** Schema of `duration`, for executors that start iterations for a fixed time. */
export const iterationTime = duration.describe("Time during which iterations start");

/** Schema of `max_duration`, for executors with a fixed number of iterations. */
export const maxDuration = duration.optional().describe(
  "Maximum duration of the scenario (default: 10m)",
);

/** Schema of `duration` in a stage. */
export const stageTime = duration.describe(
  "Duration of the stage. With `0s`, the load changes to `target` at once",
);

interface Stage {
  readonly duration: string | number;
  readonly target: number;
}

/**
 * Converts each target with `target`. Scales the durations so that their sum is `duration`, if set.
 */
export function stretchStages<S extends Stage>(
  stages: readonly S[],
  duration: string | undefined,
  target: (before: number) => number,
): S[] {
  const lengths = stages.map((stage) => durationMs(stage.duration)!);
  const total = lengths.reduce((sum, ms) => sum + ms, 0);
  const factor = duration === undefined || total === 0 ? 1 : durationMs(duration)! / total;
  return stages.map((stage, i) => ({
    ...stage,
    ...(factor !== 1 && { duration: (lengths[i] * factor) / 1_000 }),
    target: target(stage.target),
  }));
}

/** Returns a copy of `values` without the properties whose value is undefined. */
export function given<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** Schemas of the keys that all open executors share. */
export const openKeys = {
  time_unit: duration.optional().describe("Time unit of the rates (default: 1s)"),
  pre_allocated_vus: countOrZero.meta({
    description: "Number of VUs to create before the start",
    examples: [20],
  }),
  max_vus: countSchema.optional().meta({
    description: "Maximum number of VUs (default: the value of `pre_allocated_vus`)",
    examples: [100],
  }),
};

/** Schemas of the keys that executors with a rate curve share. */
export const arrivalKeys = {
  arrivals: z.enum(["even", "poisson"]).optional().describe(
    "`even`: equal intervals at a constant rate; `poisson`: random intervals, as with independent " +
      "users, with the same number of iterations (default: even)",
  ),
  ...openKeys,
};

interface Arrivals {
  readonly time_unit?: string | number;
  readonly pre_allocated_vus: number;
  readonly max_vus?: number;
}

/** Returns the maximum number of VUs of an open-model scenario. */
export function openMaxVus({ max_vus, pre_allocated_vus }: Arrivals): number {
  return max_vus ?? pre_allocated_vus;
}

/** Converts a rate per `time_unit` to iterations per second. */
export function perSecond(rate: number, { time_unit = "1s" }: Arrivals): number {
  return rate / (durationMs(time_unit)! / 1_000);
}

/**
 * New `pre_allocated_vus` and `max_vus`: `vus`, or multiplied by a `rateScale` above 1, because by
 * Little's law a higher rate keeps more VUs busy.
 */
export function changedPool(
  scenario: Arrivals,
  vus: number | undefined,
  rateScale: number,
): Partial<Arrivals> {
  if (vus !== undefined) return { pre_allocated_vus: vus, max_vus: vus };
  if (rateScale <= 1) return {};
  const { pre_allocated_vus, max_vus = Math.max(1, pre_allocated_vus) } = scenario;
  return {
    pre_allocated_vus: Math.ceil(pre_allocated_vus * rateScale),
    max_vus: Math.ceil(max_vus * rateScale),
  };
}

/** Maximum number of VUs in a scenario. */
export const MAX_VUS = 1_000_000;
/** Maximum number of iterations per second that a scenario may start. */
export const MAX_RATE = 10_000_000;

/** A VU count or rate that exceeds its limit. */
export interface Excess {
  /** Path of the VU count or rate, relative to the scenario. */
  readonly below: Path;
  readonly message: string;
}

/**
 * Accepts scenarios not checked yet. With `isOpen`, the `target` of a stage is a rate, otherwise a
 * VU count.
 */
export function findExcess(
  scenario: Readonly<Record<string, unknown>>,
  isOpen: boolean,
): Excess[] {
  const { stages, time_unit = "1s" } = scenario;
  const unitMs = typeof time_unit === "string" || typeof time_unit === "number"
    ? durationMs(time_unit) ?? NaN
    : NaN;
  const targets = (Array.isArray(stages) ? stages : [])
    .map((stage, i): Named => [["stages", i, "target"], isMap(stage) ? stage.target : undefined]);
  return [
    ...excess([...named(scenario, VUS), ...isOpen ? [] : targets], MAX_VUS, "VUs"),
    ...excess(
      [...named(scenario, RATES), ...isOpen ? targets : []],
      MAX_RATE * unitMs / 1_000,
      `iterations per \`time_unit\` (${MAX_RATE} per second)`,
    ),
  ];
}

const VUS = ["vus", "start_vus", "pre_allocated_vus", "max_vus"];
const RATES = ["rate", "peak_rate", "start_rate"];

type Named = readonly [below: Path, value: unknown];

function named(scenario: Readonly<Record<string, unknown>>, keys: readonly string[]): Named[] {
  return keys.map((key) => [[key], scenario[key]]);
}

function excess(values: readonly Named[], max: number, unit: string): Excess[] {
  return values
    .filter(([, value]) => typeof value === "number" && value > max)
    .map(([below, value]) => ({ below, message: `${value} exceeds the limit of ${max} ${unit}` }));
}

/** Definition of an executor in the plan language. `engine/kinds/executors` runs it. */
export type ExecutorVariant<Schema extends z.ZodObject> = ExecutorFacts<z.infer<Schema>> & {
  /** Schema of the scenario. Its first key is the literal `executor`. */
  readonly schema: Schema;
};

/** The definition of an executor without its schema. */
export interface ExecutorFacts<Scenario> {
  /** Returns a copy of the scenario with the changes applied to its load. */
  withLoad(scenario: Scenario, changes: LoadChanges): Scenario;
  /** Returns the maximum number of VUs that the scenario runs at the same time. */
  maxVus(scenario: Scenario): number;
  /**
   * Iterations that a shard runs; absent if not limited. `countInShard(count)` returns how many of
   * `count` items belong to the shard.
   */
  plannedIterations?(scenario: Scenario, countInShard: (count: number) => number): number;
  /** Present if the user can change the number during the run. */
  controlledVus?(scenario: Scenario): number;
  /**
   * At least two points, with a linear ramp between them. Present in open models. In a closed
   * model, each VU starts an iteration when its previous one ends.
   */
  rateCurve?(scenario: Scenario): RatePoint[];
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
   * Such as `30s`. Stages are scaled in proportion. With a fixed number of iterations, the maximum.
   */
  readonly duration?: string;
  /** Factor for arrival rates. Above 1, it also multiplies the VUs of arrival-rate scenarios. */
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
    "Delay after the start of the run, or after the end of the scenario `after` (default: 0)",
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
