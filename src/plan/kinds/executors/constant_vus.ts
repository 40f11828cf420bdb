import * as z from "zod";
import { type ExecutorVariant, scenarioKeys } from "./executor.ts";
import { given } from "./load_changes.ts";
import { iterationTime, vus } from "./load_keys.ts";

const schema = z.strictObject({
  executor: z.literal("constant-vus").describe(
    "A fixed number of VUs run iterations for a set duration",
  ),
  vus,
  duration: iterationTime,
  ...scenarioKeys,
});

export const constantVus: ExecutorVariant<typeof schema> = {
  schema,
  model: "closed",
  stageTargets: null,
  withLoad: (scenario, { vus, duration }) => ({ ...scenario, ...given({ vus, duration }) }),
  maxVus: ({ vus }) => vus,
  plannedIterations: () => Infinity,
};
