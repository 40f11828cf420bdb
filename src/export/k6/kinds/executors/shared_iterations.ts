import { durationMs } from "../../../../base/format.ts";
import { type ExecutorWriter, optionalDuration } from "./executor_writer.ts";

/**
 * Writes the k6 options for the `shared-iterations` executor. k6 requires at least as many
 * iterations as VUs.
 */
export const sharedIterations: ExecutorWriter<"shared-iterations"> = {
  write: ({ vus, iterations, max_duration }) => [
    ["vus", String(Math.min(vus, iterations))],
    ["iterations", String(iterations)],
    ...optionalDuration("maxDuration", max_duration),
  ],
  durationMs: ({ max_duration = "10m" }) => durationMs(max_duration)!,
};
