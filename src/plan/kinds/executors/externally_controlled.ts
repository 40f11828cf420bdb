import * as z from "zod";
import { countOrZero, countSchema, duration } from "../../values/values.ts";
import { type ExecutorVariant, scenarioKeys } from "./executor.ts";
import { given } from "./load_changes.ts";
import { iterationTime } from "./load_keys.ts";

const schema = z.strictObject({
  executor: z.literal("externally-controlled").describe(
    "You change the number of VUs during the run, with keys in the terminal or requests to the `--ui` server",
  ),
  vus: countOrZero.meta({ description: "Number of VUs at the start", examples: [10] }),
  max_vus: countSchema.optional().meta({
    description: "Maximum number of VUs (default: the value of `vus`)",
    examples: [100],
  }),
  duration: iterationTime,
  graceful_ramp_down: duration.optional().describe(
    "Time allowed for a VU to finish its iteration when the number of VUs falls (default: 30s)",
  ),
  ...scenarioKeys,
});

export const externallyControlled: ExecutorVariant<typeof schema> = {
  schema,
  model: "closed",
  stageTargets: null,
  withLoad: (scenario, { vus, duration }) => ({
    ...scenario,
    ...given({ vus, duration }),
    ...(vus !== undefined && { max_vus: Math.max(vus, scenario.max_vus ?? 0) }),
  }),
  maxVus: ({ vus, max_vus }) => max_vus ?? vus,
  plannedIterations: () => Infinity,
  controlledVus: ({ vus }) => vus,
};
