import { durationMs } from "../../base/duration.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Scenario } from "../../plan/kinds/executors/executors.ts";

// One thread can start ten times this many iterations; the rest is headroom for the work of the
// flow.
const STARTS_PER_SECOND = 10_000;
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

/** Returns the maximum number of VUs that a scenario has at once. */
function maxVus(scenario: Scenario): number {
  switch (scenario.executor) {
    case "ramping-vus":
      return Math.max(scenario.start_vus ?? 0, ...scenario.stages.map(({ target }) => target));
    case "constant-arrival-rate":
    case "ramping-arrival-rate":
      return scenario.max_vus ?? scenario.pre_allocated_vus;
    default:
      return scenario.vus;
  }
}

function startsPerSecond(scenario: Scenario): number {
  if (scenario.executor === "constant-arrival-rate") return perSecond(scenario.rate, scenario);
  if (scenario.executor !== "ramping-arrival-rate") return 0;
  const rates = [scenario.start_rate ?? 0, ...scenario.stages.map(({ target }) => target)];
  return perSecond(Math.max(...rates), scenario);
}

function perSecond(rate: number, { time_unit = "1s" }: { time_unit?: string | number }): number {
  return rate / durationMs(time_unit)! * 1_000;
}
