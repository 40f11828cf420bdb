import * as z from "zod";
import { flowCondition } from "../flow_conditions.ts";
import { once } from "../../values/schema_walk.ts";
import type { StepVariant } from "./step.ts";

/** Defines the `if` step. `steps` returns the schema of a list of steps. */
export function ifStep<Steps extends z.ZodType>(steps: () => Steps) {
  const thenSteps = once(() => steps().describe("Steps to run if the condition is true"));
  const elseSteps = once(() =>
    steps().optional().describe("Steps to run if the condition is false")
  );
  return {
    schema: z.strictObject({
      condition: flowCondition.describe("Condition on the last response or on a variable"),
      get then(): Steps {
        return thenSteps();
      },
      get else(): z.ZodOptional<Steps> {
        return elseSteps();
      },
    }),
    description: "Run steps if a condition is true",
    url: undefined,
  } satisfies StepVariant;
}
