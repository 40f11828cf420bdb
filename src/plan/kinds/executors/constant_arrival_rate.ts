import * as z from "zod";
import { durationMs } from "../../../base/format.ts";
import { rate } from "../../values/values.ts";
import { arrivalKeys, changedPool, maxVus, perSecond } from "./arrival_rate.ts";
import { type ExecutorVariant, scenarioKeys } from "./executor.ts";
import { given } from "./load_changes.ts";
import { iterationTime } from "./load_keys.ts";

const schema = z.strictObject({
  executor: z.literal("constant-arrival-rate").describe(
    "Iterations start at a fixed rate, independent of response times",
  ),
  rate: rate.meta({ description: "Iterations started per `time_unit`", examples: [50] }),
  duration: iterationTime,
  ...arrivalKeys,
  ...scenarioKeys,
});

export const constantArrivalRate: ExecutorVariant<typeof schema> = {
  schema,
  model: "open",
  stageTargets: null,
  withLoad: (scenario, { vus, duration, rateScale = 1 }) => ({
    ...scenario,
    ...given({ duration }),
    rate: scenario.rate * rateScale,
    ...changedPool(scenario, vus, rateScale),
  }),
  maxVus,
  plannedIterations: () => Infinity,
  rateCurve(scenario) {
    const rate = perSecond(scenario.rate, scenario);
    return [{ seconds: 0, rate }, { seconds: durationMs(scenario.duration)! / 1_000, rate }];
  },
};
