import type { Scenario } from "../../../plan/kinds/executors/executors.ts";
import { constantArrivalRate, rampingArrivalRate } from "./arrival_rate.ts";
import { constantVus } from "./constant_vus.ts";
import { perVuIterations } from "./per_vu_iterations.ts";
import type { Executor } from "./executor.ts";
import { rampingVus } from "./ramping_vus.ts";
import { sharedIterations } from "./shared_iterations.ts";

/** Creates the executor that `scenario.executor` names. */
export function createExecutor(scenario: Scenario): Executor {
  switch (scenario.executor) {
    case "constant-vus":
      return constantVus(scenario);
    case "ramping-vus":
      return rampingVus(scenario);
    case "per-vu-iterations":
      return perVuIterations(scenario);
    case "shared-iterations":
      return sharedIterations(scenario);
    case "constant-arrival-rate":
      return constantArrivalRate(scenario);
    case "ramping-arrival-rate":
      return rampingArrivalRate(scenario);
  }
}
