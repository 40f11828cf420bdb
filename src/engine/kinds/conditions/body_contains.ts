import { compileTemplate } from "../../flow/compile_template.ts";
import { READS_BODY } from "../../../extract/response_view.ts";
import { compileCount } from "./comparison.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `body_contains` condition: tests whether the body contains a string. */
export const bodyContains: ConditionRuntime<"body_contains"> = {
  reads: READS_BODY,
  compile(condition, scope) {
    const value = compileTemplate(condition.value, scope);
    const expected = !condition.negate;
    const isCount = compileCount(condition.count);
    if (isCount) {
      return (vu) => isCount(occurrences(vu.received.text, value.render(vu)));
    }
    return (vu) => vu.received.text.includes(value.render(vu)) === expected;
  },
};

function occurrences(text: string, search: string): number {
  return search === "" ? 0 : text.split(search).length - 1;
}
