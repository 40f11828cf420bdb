import { durationMs } from "../../../base/format.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";
import { arrivalRate } from "./arrival_schedule.ts";
import type { Executor } from "./executor.ts";

/**
 * `ramping-arrival-rate` executor: starts iterations at a rate that changes linearly in each stage.
 */
export function rampingArrivalRate(scenario: ScenarioOf<"ramping-arrival-rate">): Executor {
  const unit = durationMs(scenario.time_unit ?? "1s")!;
  let from = (scenario.start_rate ?? 0) / unit;
  const stages = scenario.stages.map(({ duration, target }) => {
    const stage = { durationMs: durationMs(duration)!, from, to: target / unit };
    from = stage.to;
    return stage;
  });
  return arrivalRate(stages, scenario);
}
