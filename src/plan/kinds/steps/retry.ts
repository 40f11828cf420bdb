import { z } from "lean-zod";
import { countSchema, shortDuration } from "../../values/values.ts";
import { flowCondition } from "../conditions/conditions.ts";
import type { StepVariant } from "./step.ts";

/** Defines the step `retry`. `steps` returns the schema of a list of steps. */
export function retry<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: z.strictObject({
      attempts: countSchema.meta({ description: "Maximum number of attempts", examples: [3] }),
      backoff: shortDuration("Pause before the next attempt (default: 0)").optional(),
      until: flowCondition.describe("Condition that ends the attempts, checked after each attempt"),
      get steps(): Steps {
        return steps();
      },
    }),
    description: "Repeat steps until a condition is true",
    url: undefined,
  } satisfies StepVariant;
}
