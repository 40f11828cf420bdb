import { z } from "zod";
import { templateSchema } from "../../values/values.ts";
import { checkName, type ConditionVariant, negate } from "./condition.ts";

export const bodyContains = {
  schema: z.strictObject({
    type: z.literal("body_contains").describe("Checks whether the body contains the given text"),
    name: checkName,
    value: templateSchema.describe("Text to search for"),
    negate: negate("contain"),
  }),
  mayBlock: false,
} satisfies ConditionVariant;
