import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";

/**
 * The arrival rate of a scenario: its executor, and the keys that set the rate and the duration.
 */
export type Arrival =
  | Pick<ScenarioOf<"constant-arrival-rate">, "executor" | "rate" | "duration">
  | Pick<ScenarioOf<"ramping-arrival-rate">, "executor" | "start_rate" | "stages">;
