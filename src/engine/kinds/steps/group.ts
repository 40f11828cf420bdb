import type { StepRuntime } from "./step_runtime.ts";

/** `group` step: runs its steps and adds its name to their `group` tag. */
export const group: StepRuntime<"group"> = {
  compile: ({ name, steps }, scope, compileSteps) =>
    compileSteps(steps, { ...scope, group: `${scope.group}::${name}` }),
  conditions: () => [],
  lists: ({ steps }) => [steps],
};
