import type { StepWriter } from "./step_writer.ts";

/** Omits `send` steps, because the script contains no WebSockets. */
export const send: StepWriter<"send"> = { write: () => "" };
