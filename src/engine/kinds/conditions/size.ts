import { READS_NOTHING } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `size` condition: tests the size of the body in bytes, before decompression. */
export const size: ConditionRuntime<"size"> = {
  reads: READS_NOTHING,
  compile({ min = 0, max = Infinity, equals }) {
    return ({ received: { response: { bodySize } } }) =>
      bodySize >= min && bodySize <= max && (equals === undefined || bodySize === equals);
  },
};
