import { countSchema, duration } from "../../values/values.ts";

/** Schema of `vus`, for executors with a fixed number of VUs. */
export const vus = countSchema.meta({ description: "Number of VUs", examples: [10] });

/** Schema of `duration`, for executors that start iterations for a fixed time. */
export const iterationTime = duration.describe("Time during which iterations start");

/** Schema of `max_duration`, for executors with a fixed number of iterations. */
export const maxDuration = duration.optional().describe(
  "Maximum duration of the scenario (default: 10m)",
);

/** Schema of `duration` in a stage. */
export const stageTime = duration.describe(
  "Duration of the stage. With `0s`, the load changes to `target` at once",
);
