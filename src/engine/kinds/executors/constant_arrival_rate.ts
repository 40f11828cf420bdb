import { durationMs } from "../../../base/format.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";
import { arrivalRate } from "./arrival_schedule.ts";
import type { Executor } from "./executor.ts";

/** `constant-arrival-rate` executor: starts iterations at a fixed rate. */
export function constantArrivalRate(scenario: ScenarioOf<"constant-arrival-rate">): Executor {
  const perMs = scenario.rate / durationMs(scenario.time_unit ?? "1s")!;
  const stage = { durationMs: durationMs(scenario.duration)!, from: perMs, to: perMs };
  return arrivalRate([stage], scenario);
}
