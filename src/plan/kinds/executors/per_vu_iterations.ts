import * as z from "zod";
import { countSchema } from "../../values/values.ts";
import { type ExecutorVariant, scenarioKeys } from "./executor.ts";
import { given } from "./load_changes.ts";
import { maxDuration, vus } from "./load_keys.ts";

const schema = z.strictObject({
  executor: z.literal("per-vu-iterations").describe("Each VU runs a fixed number of iterations"),
  vus,
  iterations: countSchema.meta({ description: "Number of iterations per VU", examples: [5] }),
  max_duration: maxDuration,
  ...scenarioKeys,
});

export const perVuIterations: ExecutorVariant<typeof schema> = {
  schema,
  model: "closed",
  stageTargets: null,
  withLoad: (scenario, { vus, iterations, duration }) => ({
    ...scenario,
    ...given({ vus, iterations, max_duration: duration }),
  }),
  maxVus: ({ vus }) => vus,
  plannedIterations: ({ vus, iterations }, countInShard) => countInShard(vus) * iterations,
};
