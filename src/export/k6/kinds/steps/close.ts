import { stringLiteral } from "../../js/literal.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `close` steps as JavaScript. */
export const close: StepWriter<"close"> = {
  write: ({ socket, code = 1000, reason = "" }, scope) =>
    `await ${scope.socket(socket)}.close(${code}, ${stringLiteral(reason)});`,
};
