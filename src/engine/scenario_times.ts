import { durationMs } from "../base/format.ts";
import type { Scenario } from "../plan/kinds/executors/executors.ts";
import { createExecutor } from "./kinds/executors/executors.ts";

/**
 * Returns the time in ms for which iterations may continue after the end of a scenario's schedule.
 */
export function gracefulStopMs({ graceful_stop = "30s" }: Scenario): number {
  return durationMs(graceful_stop)!;
}

/**
 * Returns the latest start of a scenario, in ms after the start of the run. `scenarios` are all
 * scenarios of the plan.
 */
export function latestStartMs(
  { after, start_time = 0 }: Scenario,
  scenarios: Readonly<Record<string, Scenario>>,
): number {
  const delay = durationMs(start_time)!;
  if (after === undefined) return delay;
  const before = scenarios[after];
  return delay + latestEndMs(before, scenarios) + gracefulStopMs(before);
}

/** Returns the latest end of the schedule of a scenario, in ms after the start of the run. */
export function latestEndMs(
  scenario: Scenario,
  scenarios: Readonly<Record<string, Scenario>>,
): number {
  return latestStartMs(scenario, scenarios) + createExecutor(scenario).durationMs;
}
