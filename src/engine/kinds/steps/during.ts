import { durationMs } from "../../../base/duration.ts";
import type { StepRuntime } from "./step_runtime.ts";

/** Repeats steps for a duration. A round in progress at the end is completed. */
export const during: StepRuntime<"during"> = {
  async compile({ duration, steps }, scope, compileSteps) {
    const ms = durationMs(duration) ?? 0;
    const body = await compileSteps(steps, scope);
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
