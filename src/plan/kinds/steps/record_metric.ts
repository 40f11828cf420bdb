import * as z from "zod";
import { declareMetric, metricKeys, tags, templateScalar } from "../../values/values.ts";
import { withRule } from "../../values/rule.ts";
import type { StepVariant } from "./step.ts";

export const metric = {
  schema: withRule(
    z.strictObject({
      ...metricKeys,
      value: templateScalar.optional().meta({
        description:
          "Value to record: a number, or a condition if the metric is a rate (default: 1)",
        examples: ["${total}"],
      }),
      tags: tags.optional(),
    }),
    { check: declareMetric },
  ),
  description: "Record a value for one of the plan's own metrics",
  url: undefined,
} satisfies StepVariant;
