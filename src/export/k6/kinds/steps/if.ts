import { blockCode } from "../../js/code_layout.ts";
import { flowConditionCode } from "../conditions/conditions.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `if` steps as JavaScript. */
export const ifStep: StepWriter<"if"> = {
  write({ condition, then, else: otherwise }, scope, writeSteps) {
    const test = flowConditionCode(condition, scope);
    const code = blockCode(`if (${test})`, scope.branch(() => writeSteps(then, scope)));
    if (otherwise === undefined) return code;
    return `${code} ${blockCode("else", scope.branch(() => writeSteps(otherwise, scope)))}`;
  },
};
