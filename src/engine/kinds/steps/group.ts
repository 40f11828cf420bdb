import type { StepRuntime } from "./step_runtime.ts";

/** Runs steps under a common name, which is part of the tag `group`. */
export const group: StepRuntime<"group"> = {
  compile: ({ name, steps }, scope, compileSteps) =>
    compileSteps(steps, { ...scope, group: `${scope.group}::${name}` }),
  conditions: () => [],
  lists: ({ steps }) => [steps],
};
