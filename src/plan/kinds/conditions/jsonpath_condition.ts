import * as z from "zod";
import { atMostOne } from "../../values/rule.ts";
import { jsonPathSchema, jsonSchema, regex } from "../../values/values.ts";
import { checkName, comparisons, type ConditionVariant, count, exists } from "./condition.ts";

export const jsonpath = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("jsonpath").describe("Checks a value in a JSON body"),
      name: checkName,
      expression: jsonPathSchema,
      equals: jsonSchema.optional().meta({
        description: "JSON value that the first match must equal",
        examples: ["paid", 3],
      }),
      exists: exists("a match"),
      ...comparisons("first match (a number or numeric text)"),
      matches: regex.optional().meta({
        description: "Regular expression that the first match must match",
        examples: ["^[0-9]+$"],
      }),
      count: count("matches"),
    }),
    "equals",
    "exists",
    "count",
  ),
} satisfies ConditionVariant;
