import { durationMs } from "../../../../base/format.ts";
import type { ConditionWriter } from "./condition_writer.ts";

/** Writes `duration` conditions as JavaScript. */
export const duration: ConditionWriter<"duration"> = {
  write: ({ max }, r) => `${r}.status !== 0 && ${r}.timings.duration <= ${durationMs(max)}`,
};
