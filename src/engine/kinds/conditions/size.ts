import { type ConditionRuntime, NEEDS_NOTHING } from "./condition_runtime.ts";

/** Tests the size of the body as received. */
export const size: ConditionRuntime<"size"> = {
  needs: NEEDS_NOTHING,
  compile({ min = 0, max = Infinity, equals }) {
    return ({ received: { response: { bodySize } } }) =>
      bodySize >= min && bodySize <= max && (equals === undefined || bodySize === equals);
  },
};
