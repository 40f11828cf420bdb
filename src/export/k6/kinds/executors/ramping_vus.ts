import { listCode, objectCode } from "../../js/code_layout.ts";
import {
  durationOption,
  type ExecutorWriter,
  optionalDuration,
  stagesMs,
} from "./executor_writer.ts";

/** Writes the k6 options for the `ramping-vus` executor. */
export const rampingVus: ExecutorWriter<"ramping-vus"> = {
  write: ({ start_vus = 0, stages, graceful_ramp_down }) => [
    ["startVUs", String(start_vus)],
    [
      "stages",
      listCode(
        stages.map(({ duration, target }) =>
          objectCode([durationOption("duration", duration), ["target", String(target)]])
        ),
      ),
    ],
    ...optionalDuration("gracefulRampDown", graceful_ramp_down),
  ],
  durationMs: ({ stages }) => stagesMs(stages),
};
