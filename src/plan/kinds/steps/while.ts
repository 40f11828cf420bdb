import * as z from "zod";
import { countSchema } from "../../values/values.ts";
import { flowCondition } from "../flow_conditions.ts";
import type { StepVariant } from "./step.ts";

/** Defines the `while` step. `steps` returns the schema of a list of steps. */
export function whileStep<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: z.strictObject({
      condition: flowCondition.describe("Condition that is checked before each repetition"),
      max_iterations: countSchema.optional().describe(
        "Maximum number of repetitions (default: 10000)",
      ),
      get steps(): Steps {
        return steps();
      },
    }),
    description: "Repeat steps while a condition is true",
    url: undefined,
  } satisfies StepVariant;
}
