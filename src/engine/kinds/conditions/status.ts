import { READS_NOTHING } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `status` condition: tests the status code. */
export const status: ConditionRuntime<"status"> = {
  reads: READS_NOTHING,
  compile({ equals, one_of, matches }) {
    const allowed = one_of && new Set(one_of);
    const pattern = matches === undefined ? undefined : new RegExp(matches);
    return ({ received: { response: { status } } }) =>
      (equals === undefined || status === equals) && (allowed?.has(status) ?? true) &&
      (pattern?.test(String(status)) ?? true);
  },
};
