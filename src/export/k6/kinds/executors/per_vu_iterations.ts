import { durationMs } from "../../../../base/format.ts";
import { type ExecutorWriter, optionalDuration } from "./executor_writer.ts";

/** Writes the k6 options for the `per-vu-iterations` executor. */
export const perVuIterations: ExecutorWriter<"per-vu-iterations"> = {
  write: ({ vus, iterations, max_duration }) => [
    ["vus", String(vus)],
    ["iterations", String(iterations)],
    ...optionalDuration("maxDuration", max_duration),
  ],
  durationMs: ({ max_duration = "10m" }) => durationMs(max_duration)!,
};
