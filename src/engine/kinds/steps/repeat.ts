import type { StepRuntime } from "./step_runtime.ts";

/** `repeat` step: runs its steps a fixed number of times. */
export const repeat: StepRuntime<"repeat"> = {
  compile({ times, steps }, scope, compileSteps) {
    const body = compileSteps(steps, scope);
    return async (vu) => {
      for (let i = 0; i < times; i++) {
        await body(vu);
        if (vu.mustYield()) await vu.yieldToOthers();
      }
    };
  },
  conditions: () => [],
  lists: ({ steps }) => [steps],
};
