import { durationMs } from "../../../../base/format.ts";
import { secondsText } from "../../js/duration_text.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `wait` steps as JavaScript. */
export const wait: StepWriter<"wait"> = {
  write: (duration, scope) =>
    `await ${scope.socket(undefined)}.wait(${secondsText(durationMs(duration)!)});`,
};
