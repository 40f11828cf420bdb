import type { Scope } from "../flow/scope.ts";
import type { Op } from "../vu/op.ts";
import type { FlowCondition } from "../../plan/kinds/conditions.ts";
import type { Step, StepKind } from "../../plan/kinds/steps.ts";

/** Value of a step of kind `K`, as written in the plan. */
export type StepValue<K extends StepKind> = NonNullable<Step[K]>;

/** Compiles a list of steps. */
export type CompileSteps = (steps: readonly Step[], scope: Scope) => Op;

/**
 * Compiles steps of kind `K`, and finds the conditions and nested steps in them.
 * `src/plan/kinds/steps` defines their syntax.
 */
export interface StepRuntime<K extends StepKind> {
  /** Compiles a step. Use `compileSteps` to compile the steps that it contains. */
  compile(value: StepValue<K>, scope: Scope, compileSteps: CompileSteps): Op;
  /**
   * Returns the conditions that the step evaluates on a variable or on the response of an earlier
   * step.
   */
  conditions(value: StepValue<K>): readonly FlowCondition[];
  /**
   * Returns the lists of steps that the step itself contains, without the lists of nested steps.
   * Worker threads use this method instead of the plan's `stepLists`, which would load the schema.
   */
  lists(value: StepValue<K>): readonly (readonly Step[])[];
}
