import type * as z from "zod";
import type { CheckContext } from "../../rules/check_context.ts";
import { endFlow, startFlow } from "../../rules/variable_uses.ts";
import { type Unchecked, withRule } from "../../values/rule.ts";
import { unionOf } from "../../values/schema_walk.ts";
import { constantArrivalRate } from "./constant_arrival_rate.ts";
import { constantVus } from "./constant_vus.ts";
import type { ExecutorFacts, LoadChanges, RatePoint } from "./executor.ts";
import { externallyControlled } from "./externally_controlled.ts";
import { type Excess, findExcess } from "./load_limits.ts";
import { perVuIterations } from "./per_vu_iterations.ts";
import { rampingArrivalRate } from "./ramping_arrival_rate.ts";
import { rampingVus } from "./ramping_vus.ts";
import { recordedArrivals } from "./recorded_arrivals.ts";
import { sharedIterations } from "./shared_iterations.ts";

/** All executors, by name. The docs list them in this order. */
export const EXECUTORS = {
  "constant-vus": constantVus,
  "ramping-vus": rampingVus,
  "per-vu-iterations": perVuIterations,
  "shared-iterations": sharedIterations,
  "constant-arrival-rate": constantArrivalRate,
  "ramping-arrival-rate": rampingArrivalRate,
  "recorded-arrivals": recordedArrivals,
  "externally-controlled": externallyControlled,
};

export type ExecutorKind = keyof typeof EXECUTORS;

const executors = unionOf("executor", EXECUTORS);

export type Scenario = z.infer<typeof executors>;
/** The type of a scenario that uses the executor `E`. */
export type ScenarioOf<E extends ExecutorKind> = Extract<Scenario, { executor: E }>;

/** The schema of a scenario: a flow, and an executor that defines when and how often it runs. */
export const scenario = withRule(executors, { enter: startFlow, check: checkScenario });

/**
 * Reports whether an executor uses an open model, in which iterations start at a planned rate.
 * Returns false for unknown executors.
 */
export function isOpenModel(executor: string): boolean {
  return isExecutor(executor) && EXECUTORS[executor].model === "open";
}

/** Returns a copy of the scenario with the changes applied to its load. */
export function withLoad(scenario: Scenario, changes: LoadChanges): Scenario {
  return variantOf(scenario).withLoad(scenario, changes);
}

/** Returns the maximum number of VUs that a scenario runs at the same time. */
export function maxVus(scenario: Scenario): number {
  return variantOf(scenario).maxVus(scenario);
}

/**
 * Returns the number of iterations of a scenario that a shard runs, or `Infinity` if the executor
 * does not limit their number. `countInShard(count)` returns how many of `count` items belong to
 * the shard (default: all of them).
 */
export function plannedIterations(
  scenario: Scenario,
  countInShard: (count: number) => number = (count) => count,
): number {
  return variantOf(scenario).plannedIterations(scenario, countInShard);
}

/**
 * Returns the initial number of VUs of a scenario if its executor lets the user change the number
 * of VUs during the run. Returns undefined for other executors.
 */
export function controlledVus(scenario: Scenario): number | undefined {
  return variantOf(scenario).controlledVus?.(scenario);
}

/**
 * Returns the planned rate of a scenario over time as points, with a linear ramp between
 * consecutive points. Returns an empty list for closed models.
 */
export function rateCurve(scenario: Scenario): RatePoint[] {
  const variant = variantOf(scenario);
  return variant.model === "open" ? variant.rateCurve(scenario) : [];
}

/**
 * Returns the VU counts and rates of a scenario that exceed the limits on load. Accepts scenarios
 * that have not been checked yet.
 */
export function excessiveLoad(scenario: Unchecked<Scenario>): Excess[] {
  const { executor } = scenario;
  const known = isExecutor(executor) ? EXECUTORS[executor].stageTargets : null;
  return findExcess(scenario, known ?? "VUs");
}

function isExecutor(name: unknown): name is ExecutorKind {
  return typeof name === "string" && Object.hasOwn(EXECUTORS, name);
}

function variantOf({ executor }: Scenario): ExecutorFacts<Scenario> {
  return EXECUTORS[executor];
}

/**
 * Checks the variable uses, the load, the pacing and the maximum number of VUs of a scenario.
 * Called after the content of the scenario has been checked.
 */
function checkScenario(context: CheckContext, scenario: Unchecked<Scenario>): void {
  endFlow(context);
  context.addTagValue("scenario", context.path.at(-1));
  if (scenario.pacing !== undefined && isOpenModel(String(scenario.executor))) {
    const message = "`pacing` has no effect with an arrival-rate executor";
    const hint = "remove `pacing`: the executor sets the iteration rate";
    context.report("no-effect", message, { below: ["pacing"], hint, severity: "warning" });
  }
  for (const { below, message } of excessiveLoad(scenario)) {
    context.report("bad-value", message, { below });
  }
  const key = "pre_allocated_vus" in scenario ? "pre_allocated_vus" : "vus";
  const { [key]: min, max_vus: max = min } = scenario;
  if (typeof min !== "number" || typeof max !== "number") return;
  const { executor } = scenario;
  if (key === "vus" && !(isExecutor(executor) && "controlledVus" in EXECUTORS[executor])) return;
  if (max < min) {
    const message = `\`max_vus\` is less than \`${key}\`: expected at least ${min}, found ${max}`;
    context.report("bad-value", message, { below: ["max_vus"] });
  } else if (max === 0) {
    const message = `the scenario has no VUs: expected at least 1 in \`${key}\` or \`max_vus\``;
    context.report("bad-value", message, { below: [key] });
  }
}
