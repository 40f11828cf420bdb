import { blockCode } from "../../js/code_layout.ts";
import { flowConditionCode } from "../conditions/conditions.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `while` steps as JavaScript. */
export const whileStep: StepWriter<"while"> = {
  write({ condition, max_iterations = 10_000, steps }, scope, writeSteps) {
    const test = flowConditionCode(condition, scope);
    const body = scope.branch(() => writeSteps(steps, scope));
    return blockCode(`for (let i = 0; i < ${max_iterations} && (${test}); i++)`, body);
  },
};
