import { staticTags } from "../../flow/scope.ts";
import type { StepRuntime } from "./step_runtime.ts";

/**
 * `group` step: runs its steps, adds its name to their `group` tag, and records their total
 * duration if all of them have run.
 */
export const group: StepRuntime<"group"> = {
  compile({ name, steps }, scope, compileSteps) {
    const inner = { ...scope, group: `${scope.group}::${name}` };
    const body = compileSteps(steps, inner);
    const record = scope.recorder.groupDuration(staticTags(inner));
    return async (vu, now) => {
      const start = now ?? vu.clock.now();
      await body(vu, now);
      record(vu.clock.now() - start);
    };
  },
  conditions: () => [],
  lists: ({ steps }) => [steps],
};
