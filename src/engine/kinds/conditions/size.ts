import { READS_NOTHING } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** Tests the size of the body as received. */
export const size: ConditionRuntime<"size"> = {
  reads: READS_NOTHING,
  compile({ min = 0, max = Infinity, equals }) {
    return ({ received: { response: { bodySize } } }) =>
      bodySize >= min && bodySize <= max && (equals === undefined || bodySize === equals);
  },
};
