import type { Step, StepKind } from "../../../../plan/kinds/steps.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";

/** Value of a step of kind `K`, as written in the plan. */
export type StepValue<K extends StepKind> = NonNullable<Step[K]>;

/** Returns the statements for a list of steps. */
export type WriteSteps = (steps: readonly Step[], scope: FlowScope) => string;

/** Writes steps of kind `K` as JavaScript. `src/plan/kinds/steps` defines their syntax. */
export interface StepWriter<K extends StepKind> {
  /** Returns the statements for a step. Use `writeSteps` for the steps that it contains. */
  write(value: StepValue<K>, scope: FlowScope, writeSteps: WriteSteps): string;
}
