import { durationMs } from "../../../../base/format.ts";
import { blockCode } from "../../js/code_layout.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `during` steps as JavaScript. */
export const during: StepWriter<"during"> = {
  write({ duration, steps }, scope, writeSteps) {
    const body = scope.branch(() => writeSteps(steps, scope));
    const head = `for (const end = Date.now() + ${durationMs(duration)}; Date.now() < end; )`;
    return blockCode(head, body);
  },
};
