import { searched } from "../../../extract/find.ts";
import { type ConditionRuntime, NEEDS_BODY } from "./condition_runtime.ts";

/** Tests whether the body matches a regular expression. */
export const bodyMatches: ConditionRuntime<"body_matches"> = {
  needs: NEEDS_BODY,
  compile(condition) {
    const pattern = new RegExp(condition.pattern);
    const expected = !condition.negate;
    return ({ received }) => pattern.test(searched(received)) === expected;
  },
};
