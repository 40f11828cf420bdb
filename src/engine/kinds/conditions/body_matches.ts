import { READS_BODY, searched } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `body_matches` condition: tests whether the body matches a regular expression. */
export const bodyMatches: ConditionRuntime<"body_matches"> = {
  reads: READS_BODY,
  compile(condition) {
    const pattern = new RegExp(condition.pattern);
    const expected = !condition.negate;
    return ({ received }) => pattern.test(searched(received)) === expected;
  },
};
