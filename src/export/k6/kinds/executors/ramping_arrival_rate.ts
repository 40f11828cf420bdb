import { formatDuration } from "../../js/duration_text.ts";
import { listCode, objectCode } from "../../js/code_layout.ts";
import { durationOption, type ExecutorWriter, stagesMs } from "./executor_writer.ts";
import { poolOptions } from "./vu_pool_options.ts";
import { wholeRates } from "./whole_rates.ts";

/** Writes the k6 options for the `ramping-arrival-rate` executor. */
export const rampingArrivalRate: ExecutorWriter<"ramping-arrival-rate"> = {
  write(scenario) {
    const { start_rate = 0, stages, time_unit } = scenario;
    const { rates: [start, ...targets], unitMs } = wholeRates(
      [start_rate, ...stages.map(({ target }) => target)],
      time_unit,
    );
    return [
      ["startRate", String(start)],
      ["timeUnit", `'${formatDuration(unitMs)}'`],
      [
        "stages",
        listCode(
          stages.map(({ duration }, i) =>
            objectCode([durationOption("duration", duration), ["target", String(targets[i])]])
          ),
        ),
      ],
      ...poolOptions(scenario),
    ];
  },
  durationMs: ({ stages }) => stagesMs(stages),
};
