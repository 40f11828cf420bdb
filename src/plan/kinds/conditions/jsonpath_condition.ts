import { z } from "zod";
import { atMostOne } from "../../values/rule.ts";
import { jsonPathSchema, jsonSchema, regex } from "../../values/values.ts";
import { checkName, comparisons, type ConditionVariant, count, exists } from "./condition.ts";

export const jsonpath = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("jsonpath").describe("Checks a value in a JSON body"),
      name: checkName,
      expression: jsonPathSchema,
      equals: jsonSchema.optional().describe("JSON value that the first match must equal"),
      exists: exists("a match"),
      ...comparisons("first match, a number or text that is a number,"),
      matches: regex.optional().describe("Regular expression that the first match must match"),
      count: count("matches"),
    }),
    "equals",
    "exists",
    "count",
  ),
  mayBlock: true,
} satisfies ConditionVariant;
