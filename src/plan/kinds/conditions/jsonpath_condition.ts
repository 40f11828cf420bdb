import { z } from "zod";
import { atMostOne } from "../../values/rule.ts";
import { jsonPathSchema, jsonSchema } from "../../values/values.ts";
import { checkName, type ConditionVariant, exists } from "./condition.ts";

export const jsonpath = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("jsonpath").describe("Checks a value in a JSON body"),
      name: checkName,
      expression: jsonPathSchema,
      equals: jsonSchema.optional().describe("JSON value that the first match must equal"),
      exists: exists("a match"),
    }),
    "equals",
    "exists",
  ),
  mayBlock: true,
} satisfies ConditionVariant;
