import type { StepWriter } from "./step_writer.ts";

/** Omits `close` steps, because the script contains no WebSockets. */
export const close: StepWriter<"close"> = { write: () => "" };
