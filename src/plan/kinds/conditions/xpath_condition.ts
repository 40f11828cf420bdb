import * as z from "zod";
import { atMostOne } from "../../values/rule.ts";
import { xpath as xpathSchema } from "../../values/values.ts";
import { checkName, type ConditionVariant, count, exists } from "./condition.ts";

export const xpath = {
  schema: atMostOne(
    z.strictObject({
      type: z.literal("xpath").describe("Checks whether an XPath expression selects a node"),
      name: checkName,
      expression: xpathSchema.meta({
        description: "XPath 1.0 expression that selects the node",
        examples: ["//order/@id"],
      }),
      exists: exists("a matching node"),
      count: count("nodes"),
    }),
    "exists",
    "count",
  ),
} satisfies ConditionVariant;
