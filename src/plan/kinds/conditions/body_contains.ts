import * as z from "zod";
import { atMostOne } from "../../values/rule.ts";
import { templateSchema } from "../../values/values.ts";
import { checkName, type ConditionVariant, count, negate } from "./condition.ts";

export const bodyContains = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("body_contains").describe("Checks whether the body contains the given text"),
      name: checkName,
      value: templateSchema.meta({ description: "Text to search for", examples: ["Thank you"] }),
      negate: negate("contain the text"),
      count: count("occurrences"),
    }),
    "negate",
    "count",
  ),
} satisfies ConditionVariant;
