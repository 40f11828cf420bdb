import * as z from "zod";
import { atMostOne } from "../../values/rule.ts";
import { regex, templateSchema } from "../../values/values.ts";
import { checkName, comparisons, type ConditionVariant, exists } from "./condition.ts";

export const header = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("header").describe("Checks a response header"),
      name: checkName,
      header: z.string().meta({
        description: "Name of the response header",
        examples: ["X-Request-Id"],
      }),
      equals: templateSchema.optional().meta({
        description: "Expected value of the header",
        examples: ["application/json"],
      }),
      contains: templateSchema.optional().meta({
        description: "Text that the header value must contain",
        examples: ["json"],
      }),
      matches: regex.optional().meta({
        description: "Regular expression that the header value must match",
        examples: ["^application/(.+[+])?json"],
      }),
      exists: exists("the header"),
      ...comparisons("header value"),
    }),
    "equals",
    "contains",
    "matches",
    "exists",
  ),
} satisfies ConditionVariant;
