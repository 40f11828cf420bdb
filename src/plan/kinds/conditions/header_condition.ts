import { z } from "zod";
import { atMostOne } from "../../values/rule.ts";
import { regex, templateSchema } from "../../values/values.ts";
import { checkName, comparisons, type ConditionVariant, exists } from "./condition.ts";

export const header = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("header").describe("Checks a response header"),
      name: checkName,
      header: z.string().describe("Name of the response header"),
      equals: templateSchema.optional().describe("Expected value of the header"),
      contains: templateSchema.optional().describe("Text that the header value must contain"),
      matches: regex.optional().describe("Regular expression that the header value must match"),
      exists: exists("the header"),
      ...comparisons("header value"),
    }),
    "equals",
    "contains",
    "matches",
    "exists",
  ),
  mayBlock: true,
} satisfies ConditionVariant;
