import { z } from "zod";
import { regex } from "../../values/values.ts";
import { checkName, type ConditionVariant, negate } from "./condition.ts";

export const bodyMatches = {
  schema: z.strictObject({
    type: z.literal("body_matches").describe(
      "Checks whether the body matches a regular expression",
    ),
    name: checkName,
    pattern: regex.describe("Regular expression to match against the body"),
    negate: negate("match"),
  }),
  mayBlock: true,
} satisfies ConditionVariant;
