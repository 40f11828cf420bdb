import * as z from "zod";
import { durationMs } from "../../../base/format.ts";
import { checkFile } from "../../rules/small_rules.ts";
import { withRule } from "../../values/rule.ts";
import { rate } from "../../values/values.ts";
import { changedPool, maxVus, openKeys, perSecond } from "./arrival_rate.ts";
import { type ExecutorVariant, scenarioKeys } from "./executor.ts";
import { given } from "./load_changes.ts";
import { iterationTime } from "./load_keys.ts";

/** First line of a file with recorded arrivals. */
export const ARRIVALS_HEADER = "second,starts";

const path = withRule(
  z.string().meta({
    description: `CSV file, relative to the plan, with the header \`${ARRIVALS_HEADER}\` and the ` +
      "number of iterations that start in each second. A time with a fraction is an exact start; " +
      "other starts are at random times within the second. The last row ends the recorded time",
    examples: ["plan.yaml.arrivals"],
  }),
  {
    notation: "path",
    check(context, path) {
      checkFile(context, path);
      const line = context.files?.firstLine(path);
      if (line === undefined || line === ARRIVALS_HEADER) return;
      context.report("bad-value", `the file does not start with \`${ARRIVALS_HEADER}\``);
    },
  },
);

const schema = z.strictObject({
  executor: z.literal("recorded-arrivals").describe(
    "Iterations start at the times of a recording, independent of response times",
  ),
  path,
  rate: rate.meta({
    description: "Mean number of iterations started per `time_unit` over the recorded time. " +
      "Recorded starts are repeated or dropped at random to reach it",
    examples: [50],
  }),
  peak_rate: rate.optional().meta({
    description: "Highest rate, only for predictions (default: the value of `rate`)",
    examples: [200],
  }),
  squeeze: rate.optional().meta({
    description:
      "Factor that divides the recorded times and the pauses of visits; the same iterations start " +
      "in less time (default: 1)",
    examples: [10],
  }),
  duration: iterationTime,
  ...openKeys,
  ...scenarioKeys,
});

export const recordedArrivals: ExecutorVariant<typeof schema> = {
  schema,
  model: "open",
  stageTargets: null,
  // A shorter duration stops early, because stretching would change the recorded intervals.
  withLoad: (scenario, { vus, duration, rateScale = 1 }) => ({
    ...scenario,
    ...given({ duration }),
    rate: scenario.rate * rateScale,
    ...(scenario.peak_rate !== undefined && { peak_rate: scenario.peak_rate * rateScale }),
    ...changedPool(scenario, vus, rateScale),
  }),
  maxVus,
  plannedIterations: () => Infinity,
  // The times are in the file. The curve has the mean and the highest rate, not their times.
  rateCurve(scenario) {
    const seconds = durationMs(scenario.duration)! / 1_000;
    const mean = perSecond(scenario.rate, scenario);
    const peak = perSecond(scenario.peak_rate ?? scenario.rate, scenario);
    const peakSeconds = Math.min(1, seconds * mean / peak);
    const rest = (mean * seconds - peak * peakSeconds) / (seconds - peakSeconds || 1);
    return [
      { seconds: 0, rate: peak },
      { seconds: peakSeconds, rate: peak },
      { seconds: peakSeconds, rate: rest },
      { seconds, rate: rest },
    ];
  },
};
