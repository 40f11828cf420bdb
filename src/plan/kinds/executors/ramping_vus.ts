import * as z from "zod";
import { countOrZero, duration } from "../../values/values.ts";
import { type ExecutorVariant, scenarioKeys } from "./executor.ts";
import { stretchStages } from "./load_changes.ts";
import { stageTime } from "./load_keys.ts";

const stage = z.strictObject({
  duration: stageTime,
  target: countOrZero.meta({
    description: "Number of VUs at the end of the stage",
    examples: [50],
  }),
}).meta({ id: "vu_stage" });

const schema = z.strictObject({
  executor: z.literal("ramping-vus").describe("The number of VUs follows the stages"),
  start_vus: countOrZero.optional().meta({
    description: "Number of VUs at the start (default: 0)",
    examples: [10],
  }),
  stages: z.array(stage).min(1)
    .describe("Stages, each a linear ramp from the previous number of VUs to `target`"),
  graceful_ramp_down: duration.optional().describe(
    "Time allowed for a VU to finish its iteration when the number of VUs falls (default: 30s)",
  ),
  ...scenarioKeys,
});

export const rampingVus: ExecutorVariant<typeof schema> = {
  schema,
  model: "closed",
  stageTargets: "VUs",
  withLoad(scenario, { vus, duration }) {
    const { start_vus = 0, stages } = scenario;
    const highest = maxVus(scenario);
    const scale = vus === undefined || highest === 0 ? 1 : vus / highest;
    return {
      ...scenario,
      start_vus: Math.round(start_vus * scale),
      stages: stretchStages(stages, duration, (target) => Math.round(target * scale)),
    };
  },
  maxVus,
  plannedIterations: () => Infinity,
};

function maxVus({ start_vus = 0, stages }: z.infer<typeof schema>): number {
  return Math.max(start_vus, ...stages.map(({ target }) => target));
}
