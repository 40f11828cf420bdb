import type { StepWriter } from "./step_writer.ts";

/** Omits `expect` steps, because the script contains no WebSockets. */
export const expect: StepWriter<"expect"> = { write: () => "" };
