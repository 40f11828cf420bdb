import { indent } from "../../js/code_layout.ts";
import { commentText, stringLiteral } from "../../js/literal.ts";
import type { StepWriter } from "./step_writer.ts";
import { isAsynchronous } from "./websocket.ts";

/**
 * Writes `group` steps as JavaScript. k6 does not support groups that contain asynchronous code, so
 * the script omits such a group but contains its steps.
 */
export const group: StepWriter<"group"> = {
  write({ name, steps }, scope, writeSteps) {
    const isAsync = scope.isAsync || isAsynchronous(steps);
    const body = writeSteps(steps, scope);
    if (isAsync) {
      scope.script.note("k6-group", name, "k6 runs the steps outside of a group");
      return `// group: ${commentText(name)}\n${body}`;
    }
    const call = scope.script.import("k6", "group");
    return `${call}(${stringLiteral(name)}, () => {\n${indent(body)}\n});`;
  },
};
