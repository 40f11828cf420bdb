import { compileFlowCondition } from "../conditions.ts";
import type { StepRuntime } from "./step_runtime.ts";

/**
 * `if` step: runs the steps in `then` if a condition is true, otherwise the steps in `else`, if
 * any.
 */
export const ifStep: StepRuntime<"if"> = {
  compile({ condition, then, else: otherwise }, scope, compileSteps) {
    const test = compileFlowCondition(condition, scope);
    const ifTrue = compileSteps(then, scope);
    const ifFalse = otherwise && compileSteps(otherwise, scope);
    return (vu) => test(vu) ? ifTrue(vu) : ifFalse?.(vu);
  },
  conditions: ({ condition }) => [condition],
  lists: ({ then, else: otherwise = [] }) => [then, otherwise],
};
