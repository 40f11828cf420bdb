import { compileFlowCondition } from "../conditions.ts";
import type { StepRuntime } from "./step_runtime.ts";

/** `while` step: runs its steps as long as a condition is true, at most `max_iterations` times. */
export const whileStep: StepRuntime<"while"> = {
  compile({ condition, max_iterations = 10_000, steps }, scope, compileSteps) {
    const test = compileFlowCondition(condition, scope);
    const body = compileSteps(steps, scope);
    return async (vu) => {
      for (let i = 0; i < max_iterations && test(vu); i++) {
        await body(vu);
        if (vu.mustYield()) await vu.yieldToOthers();
      }
    };
  },
  conditions: ({ condition }) => [condition],
  lists: ({ steps }) => [steps],
};
