import type { SampleFormat } from "./file_output.ts";

/** A JSON object a line, `time` in ISO 8601. */
export const JSON_LINES: SampleFormat = {
  line: (sample) => JSON.stringify({ ...sample, time: new Date(sample.time).toISOString() }) + "\n",
};
