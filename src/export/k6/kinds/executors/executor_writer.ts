import { type Duration, durationMs } from "../../../../base/format.ts";
import type { ExecutorKind, ScenarioOf } from "../../../../plan/kinds/executors.ts";
import { formatDuration } from "../../js/duration_text.ts";
import type { Member } from "../../js/code_layout.ts";

/** Writes the executor of a scenario as k6 options. `src/plan/kinds/executors` defines its keys. */
export interface ExecutorWriter<E extends ExecutorKind> {
  /** Executor in the script, if k6 has none of this name. */
  readonly executor?: ExecutorKind;
  /** Returns the k6 options for the scenario's executor, without the `executor` option itself. */
  write(scenario: ScenarioOf<E>): readonly Member[];
  /** Returns the planned duration of the scenario in milliseconds. */
  durationMs(scenario: ScenarioOf<E>): number;
}

/** Returns the option `name` with a duration as its value. */
export function durationOption(name: string, duration: Duration): Member {
  return [name, `'${formatDuration(durationMs(duration)!)}'`];
}

/**
 * Returns a list with the option `name` and its value `duration`. The list is empty if `duration`
 * is undefined.
 */
export function optionalDuration(name: string, duration: Duration | undefined): readonly Member[] {
  return duration === undefined ? [] : [durationOption(name, duration)];
}

/** Returns the total duration of stages in milliseconds. */
export function stagesMs(stages: readonly { readonly duration: Duration }[]): number {
  return stages.reduce((sum, { duration }) => sum + durationMs(duration)!, 0);
}
