import { openFileOutput, type SampleFormat } from "../../outputs/file_output.ts";
import type { OutputOf, RunOutput } from "../../outputs/open_output.ts";
import type { Sample } from "../../metrics/sample.ts";

const TYPES: Readonly<Record<Sample["type"], true>> = {
  request: true,
  check: true,
  iteration: true,
  dropped_iteration: true,
  metric: true,
};

/** JSON Lines format with one object per sample. `time` is an ISO 8601 string. */
export const JSON_LINES: SampleFormat = {
  line: (sample) => JSON.stringify({ ...sample, time: new Date(sample.time).toISOString() }) + "\n",
  isOwn(start) {
    try {
      const sample = JSON.parse(start.split("\n", 1)[0]);
      return typeof sample?.time === "string" && Object.hasOwn(TYPES, sample.type);
    } catch {
      return false;
    }
  },
};

/** Opens an output of type `json`. */
export function openJson(
  output: OutputOf<"json">,
  resolve: (path: string) => string,
): RunOutput[] {
  return [openFileOutput(output, resolve, JSON_LINES)];
}
