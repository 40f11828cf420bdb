import type { StepWriter } from "./step_writer.ts";

/** Omits `visits` steps. */
export const visits: StepWriter<"visits"> = {
  write({ data }, { script }) {
    script.note("k6-visits", `data.${data}`, "the script omits the visits");
    return "";
  },
};
