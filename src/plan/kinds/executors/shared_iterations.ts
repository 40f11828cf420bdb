import * as z from "zod";
import { countSchema } from "../../values/values.ts";
import { type ExecutorVariant, scenarioKeys } from "./executor.ts";
import { given } from "./load_changes.ts";
import { maxDuration, vus } from "./load_keys.ts";

const schema = z.strictObject({
  executor: z.literal("shared-iterations").describe("The VUs share a fixed number of iterations"),
  vus,
  iterations: countSchema.meta({
    description: "Total number of iterations of all VUs",
    examples: [1000],
  }),
  max_duration: maxDuration,
  ...scenarioKeys,
});

export const sharedIterations: ExecutorVariant<typeof schema> = {
  schema,
  model: "closed",
  stageTargets: null,
  withLoad: (scenario, { vus, iterations, duration }) => ({
    ...scenario,
    ...given({ vus, iterations, max_duration: duration }),
  }),
  maxVus: ({ vus }) => vus,
  plannedIterations: ({ iterations }, countInShard) => countInShard(iterations),
};
