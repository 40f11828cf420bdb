import type { StepWriter } from "./step_writer.ts";
import { pauseCode } from "./think_time.ts";

/** Writes `wait` steps as pauses, because the script contains no WebSockets. */
export const wait: StepWriter<"wait"> = { write: (duration, scope) => pauseCode(duration, scope) };
