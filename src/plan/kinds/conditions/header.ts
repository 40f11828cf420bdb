import { z } from "zod";
import { atMostOne } from "../../values/rule.ts";
import { templateSchema } from "../../values/values.ts";
import { checkName, type ConditionVariant, exists } from "./condition.ts";

export const header = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("header").describe("Checks a response header"),
      name: checkName,
      header: z.string().describe("Name of the response header"),
      equals: templateSchema.optional().describe("Expected value of the header"),
      contains: templateSchema.optional().describe("Text that the header value must contain"),
      exists: exists("the header"),
    }),
    "equals",
    "contains",
    "exists",
  ),
} satisfies ConditionVariant;
