import type { ExecutorKind, Scenario, ScenarioOf } from "../../../../plan/kinds/executors.ts";
import type { Member } from "../../js/code_layout.ts";
import { constantArrivalRate } from "./constant_arrival_rate.ts";
import { constantVus } from "./constant_vus.ts";
import type { ExecutorWriter } from "./executor_writer.ts";
import { externallyControlled } from "./externally_controlled.ts";
import { perVuIterations } from "./per_vu_iterations.ts";
import { rampingArrivalRate } from "./ramping_arrival_rate.ts";
import { rampingVus } from "./ramping_vus.ts";
import { recordedArrivals } from "./recorded_arrivals.ts";
import { sharedIterations } from "./shared_iterations.ts";

/** Writer for each executor. */
const EXECUTORS: { readonly [E in ExecutorKind]: ExecutorWriter<E> } = {
  "constant-vus": constantVus,
  "ramping-vus": rampingVus,
  "per-vu-iterations": perVuIterations,
  "shared-iterations": sharedIterations,
  "constant-arrival-rate": constantArrivalRate,
  "ramping-arrival-rate": rampingArrivalRate,
  "recorded-arrivals": recordedArrivals,
  "externally-controlled": externallyControlled,
};

/** Returns the k6 options for the executor of a scenario. */
export function executorOptions(scenario: Scenario): readonly Member[] {
  return writeKind(scenario.executor, scenario);
}

/** Returns the planned duration of a scenario in milliseconds. */
export function plannedMs(scenario: Scenario): number {
  return durationOfKind(scenario.executor, scenario);
}

function durationOfKind<E extends ExecutorKind>(kind: E, scenario: ScenarioOf<E>): number {
  return EXECUTORS[kind].durationMs(scenario);
}

function writeKind<E extends ExecutorKind>(kind: E, scenario: ScenarioOf<E>): readonly Member[] {
  const { executor = kind }: ExecutorWriter<E> = EXECUTORS[kind];
  return [["executor", `'${executor}'`], ...EXECUTORS[kind].write(scenario)];
}
