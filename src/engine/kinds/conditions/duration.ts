import { durationMs } from "../../../base/format.ts";
import { READS_NOTHING } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `duration` condition: tests the duration of the request (`http_req_duration`). */
export const duration: ConditionRuntime<"duration"> = {
  reads: READS_NOTHING,
  compile(condition) {
    const max = durationMs(condition.max) ?? Infinity;
    return ({ received }) => received.durationMs <= max;
  },
};
