import * as z from "zod";
import { atMostOne } from "../../values/rule.ts";
import { cssSelector } from "../../values/values.ts";
import { checkName, type ConditionVariant, count, exists } from "./condition.ts";

export const css = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("css").describe("Checks whether an HTML body contains an element"),
      name: checkName,
      expression: cssSelector.meta({
        description: "CSS selector of the element",
        examples: ["input[name=csrf]"],
      }),
      exists: exists("a matching element"),
      count: count("elements"),
    }),
    "exists",
    "count",
  ),
} satisfies ConditionVariant;
