import { z } from "zod";
import { regex } from "../../values/values.ts";
import { checkName, type ConditionVariant, negate } from "./condition.ts";

export const bodyMatches = {
  schema: z.strictObject({
    type: z.literal("body_matches").describe("Checks the body with a regular expression"),
    name: checkName,
    pattern: regex.describe("Regular expression that the body matches"),
    negate: negate("match"),
  }),
} satisfies ConditionVariant;
