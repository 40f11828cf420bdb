import { conditionName } from "../../../../plan/kinds/names.ts";
import type { FlowCondition } from "../../../../plan/kinds/flow_conditions.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { blockCode, callCode, objectCode } from "../../js/code_layout.ts";
import { durationMs } from "../../../../base/format.ts";
import { flowConditionCode } from "../conditions/conditions.ts";
import type { StepWriter } from "./step_writer.ts";
import { pauseCode } from "./think_time.ts";

/** Writes `retry` steps as JavaScript. */
export const retry: StepWriter<"retry"> = {
  write({ attempts, backoff = 0, until, required, steps }, scope, writeSteps) {
    const body = scope.branch(() => {
      const before = writeSteps(steps, scope);
      const test = flowConditionCode(until, scope);
      const pause = durationMs(backoff) === 0 ? [] : [pauseCode(backoff, scope)];
      const end = `if (round >= ${attempts} || (${test})) `;
      const ending = required
        ? blockCode(end.trimEnd(), `${checkCode(until, test, scope)}\nbreak;`)
        : `${end}break;`;
      return [before, ending, ...pause].join("\n");
    });
    return blockCode("for (let round = 1; ; round++)", body);
  },
};

/** Returns the statement that records, as a check, whether the condition of a step became true. */
function checkCode(until: FlowCondition, test: string, scope: FlowScope): string {
  const name = typeof until === "string"
    ? until
    : "type" in until
    ? conditionName(until)
    : "the `retry` condition is true";
  scope.usesResponse = true;
  scope.script.note("k6-assertions", name, "the script turns the assertion into a check");
  const checks = objectCode([[name.toWellFormed(), `() => ${test}`]]);
  return `${callCode(scope.script.import("k6", "check"), ["res", checks])};`;
}
