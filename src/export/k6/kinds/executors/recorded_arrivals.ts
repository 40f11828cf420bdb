import { durationMs } from "../../../../base/format.ts";
import { constantArrivalRate } from "./constant_arrival_rate.ts";
import type { ExecutorWriter } from "./executor_writer.ts";

/** Writes the k6 options for a constant rate, because k6 cannot replay recorded arrivals. */
export const recordedArrivals: ExecutorWriter<"recorded-arrivals"> = {
  executor: "constant-arrival-rate",
  write: (scenario) =>
    constantArrivalRate.write({ ...scenario, executor: "constant-arrival-rate" }),
  durationMs: ({ duration }) => durationMs(duration)!,
};
