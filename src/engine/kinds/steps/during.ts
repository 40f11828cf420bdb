import { durationMs } from "../../../base/format.ts";
import type { StepRuntime } from "./step_runtime.ts";

/**
 * `during` step: repeats its steps for a set duration. When the time is up, completes the current
 * repetition.
 */
export const during: StepRuntime<"during"> = {
  compile({ duration, steps }, scope, compileSteps) {
    const ms = durationMs(duration) ?? 0;
    const body = compileSteps(steps, scope);
    return async (vu) => {
      const end = vu.clock.now() + ms;
      while (vu.clock.now() < end) {
        const { waits } = vu;
        await body(vu);
        if (vu.waits === waits) await vu.yieldToOthers();
      }
    };
  },
  conditions: () => [],
  lists: ({ steps }) => [steps],
};
