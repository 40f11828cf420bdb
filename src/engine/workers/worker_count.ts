import type { Plan } from "../../plan/schema/plan.ts";
import { maxVus, rateCurve, type Scenario } from "../../plan/kinds/executors/executors.ts";

/**
 * Target for the maximum number of iterations that one thread starts per second. A thread can start
 * ten times as many, but the flow of each iteration also takes time.
 */
const STARTS_PER_SECOND = 10_000;
/** Target for the maximum number of VUs that one thread runs. */
const VUS = 1_000;

/**
 * Returns the number of threads to use for a plan on a machine with `cores` CPU cores. It is 1 for
 * all but large loads.
 */
export function workerCount({ scenarios }: Plan, cores: number): number {
  const loads = Object.values(scenarios);
  const sum = (of: (scenario: Scenario) => number) => loads.reduce((n, load) => n + of(load), 0);
  const wanted = Math.max(
    Math.ceil(sum(startsPerSecond) / STARTS_PER_SECOND),
    Math.ceil(sum(maxVus) / VUS),
  );
  return Math.max(1, Math.min(wanted, cores, Math.min(...loads.map(maxVus))));
}

/**
 * Returns the maximum planned rate of a scenario in iterations per second; 0 for closed models,
 * which plan no rate.
 */
function startsPerSecond(scenario: Scenario): number {
  return Math.max(0, ...rateCurve(scenario).map(({ rate }) => rate));
}
