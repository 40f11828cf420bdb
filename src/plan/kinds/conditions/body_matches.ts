import * as z from "zod";
import { atMostOne } from "../../values/rule.ts";
import { regex } from "../../values/values.ts";
import { checkName, type ConditionVariant, count, negate } from "./condition.ts";

export const bodyMatches = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("body_matches").describe(
        "Checks whether the body matches a regular expression",
      ),
      name: checkName,
      pattern: regex.meta({
        description: "Regular expression to match against the body",
        examples: ["order [0-9]+"],
      }),
      negate: negate("match the expression"),
      count: count("matches"),
    }),
    "negate",
    "count",
  ),
} satisfies ConditionVariant;
