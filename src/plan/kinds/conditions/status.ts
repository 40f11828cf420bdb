import * as z from "zod";
import { exactlyOne } from "../../values/rule.ts";
import { regex } from "../../values/values.ts";
import { checkName, type ConditionVariant } from "./condition.ts";

export const status = {
  schema: exactlyOne(
    z.strictObject({
      type: z.literal("status").describe("Checks the status code"),
      name: checkName,
      equals: z.int().optional().meta({ description: "Expected status code", examples: [201] }),
      one_of: z.array(z.int()).min(1).optional().meta({
        description: "Accepted status codes",
        examples: [[200, 304]],
      }),
      matches: regex.optional().describe(
        "Regular expression that the status code must match, such as `^2`",
      ),
    }),
    "equals",
    "one_of",
    "matches",
  ),
} satisfies ConditionVariant;
