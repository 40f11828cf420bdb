import { z } from "zod";
import { templateSchema } from "../../values/values.ts";
import { checkName, type ConditionVariant, negate } from "./condition.ts";

export const bodyContains = {
  schema: z.strictObject({
    type: z.literal("body_contains").describe("Checks for a text in the body"),
    name: checkName,
    value: templateSchema.describe("Text that the body contains"),
    negate: negate("contain"),
  }),
} satisfies ConditionVariant;
