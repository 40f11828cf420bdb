import { socketName } from "../../../../plan/kinds/steps/request_name.ts";
import { commentText } from "../../js/literal.ts";
import type { StepWriter } from "./step_writer.ts";

/** Reports `websocket` steps, and writes the steps in them that do not use the WebSocket. */
export const websocket: StepWriter<"websocket"> = {
  write(step, scope, writeSteps) {
    const name = socketName(step);
    scope.script.note("k6-websocket", name, "the WebSocket and its messages are omitted");
    const body = writeSteps(step.steps, scope);
    return [`// Not exported: WebSocket ${commentText(name)}`, ...body === "" ? [] : [body]].join(
      "\n",
    );
  },
};
