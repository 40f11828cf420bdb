import { compileTemplate } from "../../flow/compile_template.ts";
import { READS_BODY } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `body_contains` condition: tests whether the body contains a string. */
export const bodyContains: ConditionRuntime<"body_contains"> = {
  reads: READS_BODY,
  compile(condition, scope) {
    const value = compileTemplate(condition.value, scope);
    const expected = !condition.negate;
    return (vu) => vu.received.text.includes(value.render(vu)) === expected;
  },
};
