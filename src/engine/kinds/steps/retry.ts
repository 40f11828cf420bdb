import { durationMs } from "../../../base/duration.ts";
import { compileFlowCondition } from "../conditions/conditions.ts";
import type { StepRuntime } from "./step_runtime.ts";

/**
 * `retry` step: runs its steps, then tests a condition. Repeats both until the condition is true or
 * the maximum number of attempts is reached.
 */
export const retry: StepRuntime<"retry"> = {
  async compile({ attempts, backoff = 0, until, steps }, scope, compileSteps) {
    const ms = durationMs(backoff) ?? 0;
    const test = await compileFlowCondition(until, scope);
    const body = await compileSteps(steps, scope);
    return async (vu) => {
      for (let attempt = 1;; attempt++) {
        await body(vu);
        if (attempt >= attempts || test(vu)) return;
        if (ms > 0) await vu.pauseUntil(vu.clock.now() + ms);
        else if (vu.mustYield()) await vu.yieldToOthers();
      }
    };
  },
  conditions: ({ until }) => [until],
  lists: ({ steps }) => [steps],
};
