import { durationMs } from "../../../../base/format.ts";
import { durationOption, type ExecutorWriter } from "./executor_writer.ts";

/** Writes the k6 options for the `constant-vus` executor. */
export const constantVus: ExecutorWriter<"constant-vus"> = {
  write: ({ vus, duration }) => [["vus", String(vus)], durationOption("duration", duration)],
  durationMs: ({ duration }) => durationMs(duration)!,
};
