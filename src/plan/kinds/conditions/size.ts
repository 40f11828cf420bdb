import * as z from "zod";
import { atLeastOne } from "../../values/rule.ts";
import { countOrZero } from "../../values/values.ts";
import { checkName, type ConditionVariant } from "./condition.ts";

export const size = {
  schema: atLeastOne(
    z.strictObject({
      type: z.literal("size").describe("Checks the size of the body"),
      name: checkName,
      min: countOrZero.optional().meta({
        description: "Minimum size of the body in bytes, before decompression",
        examples: [1],
      }),
      max: countOrZero.optional().meta({
        description: "Maximum size of the body in bytes, before decompression",
        examples: [100000],
      }),
      equals: countOrZero.optional().meta({
        description: "Exact size of the body in bytes, before decompression",
        examples: [2],
      }),
    }),
    "min",
    "max",
    "equals",
  ),
} satisfies ConditionVariant;
