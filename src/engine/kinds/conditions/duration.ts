import { durationMs } from "../../../base/duration.ts";
import { type ConditionRuntime, NEEDS_NOTHING } from "./condition_runtime.ts";

/** Tests the duration of the request. */
export const duration: ConditionRuntime<"duration"> = {
  needs: NEEDS_NOTHING,
  compile(condition) {
    const max = durationMs(condition.max) ?? Infinity;
    return ({ received }) => received.durationMs <= max;
  },
};
