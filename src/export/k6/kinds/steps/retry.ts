import { blockCode } from "../../js/code_layout.ts";
import { durationMs } from "../../../../base/duration.ts";
import { flowConditionCode } from "../conditions/conditions.ts";
import type { StepWriter } from "./step_writer.ts";
import { pauseCode } from "./think_time.ts";

/** Writes `retry` steps as JavaScript. */
export const retry: StepWriter<"retry"> = {
  write({ attempts, backoff = 0, until, steps }, scope, writeSteps) {
    const body = scope.branch(() => {
      const before = writeSteps(steps, scope);
      const test = flowConditionCode(until, scope);
      const pause = durationMs(backoff) === 0 ? [] : [pauseCode(backoff, scope)];
      return [before, `if (round >= ${attempts} || (${test})) break;`, ...pause].join("\n");
    });
    return blockCode("for (let round = 1; ; round++)", body);
  },
};
