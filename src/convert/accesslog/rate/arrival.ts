import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";

/** Arrival rate of a scenario: the executor and its rate keys. */
export type Arrival =
  | Pick<ScenarioOf<"constant-arrival-rate">, "executor" | "rate" | "duration">
  | Pick<ScenarioOf<"ramping-arrival-rate">, "executor" | "start_rate" | "stages">;
