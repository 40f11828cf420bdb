import type {
  ExecutorKind,
  Scenario,
  ScenarioOf,
} from "../../../plan/kinds/executors/executors.ts";
import { constantArrivalRate } from "./constant_arrival_rate.ts";
import { constantVus } from "./constant_vus.ts";
import type { Executor } from "./executor.ts";
import { externallyControlled } from "./externally_controlled.ts";
import { perVuIterations } from "./per_vu_iterations.ts";
import { rampingArrivalRate } from "./ramping_arrival_rate.ts";
import { rampingVus } from "./ramping_vus.ts";
import { recordedArrivals } from "./recorded_arrivals.ts";
import { sharedIterations } from "./shared_iterations.ts";

/** Functions that create the executors, by executor name. */
const EXECUTORS: { readonly [E in ExecutorKind]: (scenario: ScenarioOf<E>) => Executor } = {
  "constant-vus": constantVus,
  "ramping-vus": rampingVus,
  "per-vu-iterations": perVuIterations,
  "shared-iterations": sharedIterations,
  "constant-arrival-rate": constantArrivalRate,
  "ramping-arrival-rate": rampingArrivalRate,
  "recorded-arrivals": recordedArrivals,
  "externally-controlled": externallyControlled,
};

/** Creates the executor whose name is `scenario.executor`. */
export function createExecutor(scenario: Scenario): Executor {
  return create(scenario.executor, scenario);
}

function create<E extends ExecutorKind>(name: E, scenario: ScenarioOf<E>): Executor {
  return EXECUTORS[name](scenario);
}
