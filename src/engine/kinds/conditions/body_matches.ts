import { READS_BODY, searched } from "../../../extract/response_view.ts";
import { compileCount } from "./comparison.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `body_matches` condition: tests whether the body matches a regular expression. */
export const bodyMatches: ConditionRuntime<"body_matches"> = {
  reads: READS_BODY,
  compile(condition) {
    const pattern = new RegExp(condition.pattern);
    const isCount = compileCount(condition.count);
    if (isCount) {
      const all = new RegExp(condition.pattern, "g");
      return ({ received }) => isCount([...searched(received).matchAll(all)].length);
    }
    const expected = !condition.negate;
    return ({ received }) => pattern.test(searched(received)) === expected;
  },
};
