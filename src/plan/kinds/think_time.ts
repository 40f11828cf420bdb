import * as z from "zod";
import { durationMs } from "../../base/format.ts";
import { withRule } from "../values/schema_walk.ts";
import { duration, shortDuration } from "../values/values.ts";

const uniform = withRule(
  z.strictObject({
    type: z.literal("uniform").describe("A random pause between `min` and `max`"),
    min: duration.describe("Shortest pause"),
    max: duration.describe("Longest pause"),
  }),
  {
    check(context, { min, max }): void {
      if (!(toMs(min) > toMs(max))) return;
      context.report("bad-value", `\`min\` is longer than \`max\`: found ${min} and ${max}`, {
        below: ["min"],
      });
    },
  },
);

/** The schema of a pause: a fixed duration, or a distribution. */
export const thinkTime = z.union([
  shortDuration("Length of the pause"),
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("constant").describe("Always the same pause"),
      duration: duration.describe("Length of the pause"),
    }),
    uniform,
    z.strictObject({
      type: z.literal("gaussian").describe("A random pause with a normal distribution"),
      mean: shortDuration("Mean of the distribution; negative pauses count as 0"),
      std_dev: shortDuration("Standard deviation of the distribution"),
    }),
  ]),
]).meta({ id: "think_time" });

/** A pause: a fixed duration, or a distribution. */
export type ThinkTime = z.infer<typeof thinkTime>;

export const thinkTimeStep = {
  schema: thinkTime,
  description: "Pause",
};

function toMs(value: unknown): number {
  const isDuration = typeof value === "string" || typeof value === "number";
  return (isDuration ? durationMs(value) : undefined) ?? NaN;
}
