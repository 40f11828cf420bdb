import { durationMs } from "../../../../base/format.ts";
import { formatDuration } from "../../js/duration_text.ts";
import { durationOption, type ExecutorWriter } from "./executor_writer.ts";
import { poolOptions } from "./vu_pool_options.ts";
import { wholeRates } from "./whole_rates.ts";

/** Writes the k6 options for the `constant-arrival-rate` executor. */
export const constantArrivalRate: ExecutorWriter<"constant-arrival-rate"> = {
  write(scenario) {
    const { rates: [rate], unitMs } = wholeRates([scenario.rate], scenario.time_unit);
    return [
      ["rate", String(rate)],
      ["timeUnit", `'${formatDuration(unitMs)}'`],
      durationOption("duration", scenario.duration),
      ...poolOptions(scenario),
    ];
  },
  durationMs: ({ duration }) => durationMs(duration)!,
};
