import { durationMs } from "../../../../base/format.ts";
import { durationOption, type ExecutorWriter } from "./executor_writer.ts";

/** Writes the k6 options for the `externally-controlled` executor. */
export const externallyControlled: ExecutorWriter<"externally-controlled"> = {
  write: ({ vus, max_vus = vus, duration }) => [
    ["vus", String(vus)],
    ["maxVUs", String(max_vus)],
    durationOption("duration", duration),
  ],
  durationMs: ({ duration }) => durationMs(duration)!,
};
