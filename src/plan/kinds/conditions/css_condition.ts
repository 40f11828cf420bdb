import { z } from "zod";
import { cssSelector } from "../../values/values.ts";
import { checkName, type ConditionVariant, exists } from "./condition.ts";

export const css = {
  schema: z.strictObject({
    type: z.literal("css").describe("Checks whether an HTML body contains an element"),
    name: checkName,
    expression: cssSelector.describe("CSS selector of the element"),
    exists: exists("a matching element"),
  }),
  mayBlock: true,
} satisfies ConditionVariant;
