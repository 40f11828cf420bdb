import { z } from "zod";
import { atLeastOne } from "../../values/rule.ts";
import { countOrZero } from "../../values/values.ts";
import { checkName, type ConditionVariant } from "./condition.ts";

export const size = {
  schema: atLeastOne(
    z.strictObject({
      type: z.literal("size").describe("Checks the size of the body"),
      name: checkName,
      min: countOrZero.optional().describe(
        "Minimum size of the body in bytes, before decompression",
      ),
      max: countOrZero.optional().describe(
        "Maximum size of the body in bytes, before decompression",
      ),
      equals: countOrZero.optional().describe(
        "Exact size of the body in bytes, before decompression",
      ),
    }),
    "min",
    "max",
    "equals",
  ),
  mayBlock: false,
} satisfies ConditionVariant;
