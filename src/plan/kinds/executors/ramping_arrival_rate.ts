import * as z from "zod";
import { durationMs } from "../../../base/format.ts";
import { rateOrZero } from "../../values/values.ts";
import { arrivalKeys, changedPool, maxVus, perSecond } from "./arrival_rate.ts";
import { type ExecutorVariant, scenarioKeys } from "./executor.ts";
import { stretchStages } from "./load_changes.ts";
import { stageTime } from "./load_keys.ts";

const stage = z.strictObject({
  duration: stageTime,
  target: rateOrZero.meta({
    description: "Rate at the end of the stage, per `time_unit`",
    examples: [200],
  }),
}).meta({ id: "rate_stage" });

const schema = z.strictObject({
  executor: z.literal("ramping-arrival-rate").describe(
    "Iterations start at a rate that follows the stages, independent of response times",
  ),
  start_rate: rateOrZero.optional().describe("Rate at the start, per `time_unit` (default: 0)"),
  stages: z.array(stage).min(1)
    .describe("Stages, each a linear ramp from the previous rate to `target`"),
  ...arrivalKeys,
  ...scenarioKeys,
});

export const rampingArrivalRate: ExecutorVariant<typeof schema> = {
  schema,
  model: "open",
  stageTargets: "rates",
  withLoad: (scenario, { vus, duration, rateScale = 1 }) => ({
    ...scenario,
    start_rate: (scenario.start_rate ?? 0) * rateScale,
    stages: stretchStages(scenario.stages, duration, (target) => target * rateScale),
    ...changedPool(scenario, vus, rateScale),
  }),
  maxVus,
  plannedIterations: () => Infinity,
  rateCurve(scenario) {
    const curve = [{ seconds: 0, rate: perSecond(scenario.start_rate ?? 0, scenario) }];
    for (const { duration, target } of scenario.stages) {
      const seconds = curve[curve.length - 1].seconds + durationMs(duration)! / 1_000;
      curve.push({ seconds, rate: perSecond(target, scenario) });
    }
    return curve;
  },
};
