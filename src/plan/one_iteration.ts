import type { Plan } from "./schema/plan.ts";
import type { Scenario } from "./kinds/executors/executors.ts";

/** Returns the plan with one iteration of one VU per scenario and without thresholds, for `--once`. */
export function oneIteration(plan: Plan): Plan {
  const scenarios = Object.entries(plan.scenarios).map((
    [name, scenario],
  ) => [name, once(scenario)]);
  return { ...plan, thresholds: undefined, scenarios: Object.fromEntries(scenarios) };
}

function once({ flow, think_time, tags }: Scenario): Scenario {
  return { executor: "per-vu-iterations", vus: 1, iterations: 1, flow, think_time, tags };
}
