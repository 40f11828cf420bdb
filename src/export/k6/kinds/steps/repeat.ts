import { blockCode } from "../../js/code_layout.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `repeat` steps as JavaScript. */
export const repeat: StepWriter<"repeat"> = {
  write({ times, steps }, scope, writeSteps) {
    const body = scope.branch(() => writeSteps(steps, scope));
    return blockCode(`for (let i = 0; i < ${times}; i++)`, body);
  },
};
