import { countSchema, duration } from "../../values/values.ts";

/** Key of executors with a fixed number of VUs. */
export const vus = countSchema.describe("Number of VUs");

/** Key of executors that start iterations for a time. */
export const iterationTime = duration.describe("Time for which iterations are started");

/** Key of executors that end after a number of iterations. */
export const maxDuration = duration.optional().describe(
  "Maximum duration of the scenario (default: 10m)",
);

/** Key of stages. */
export const stageTime = duration.describe("Duration of the stage");
