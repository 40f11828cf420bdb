import * as z from "zod";
import { duration } from "../../values/values.ts";
import type { StepVariant } from "./step.ts";

/** Defines the `during` step. `steps` returns the schema of a list of steps. */
export function during<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: z.strictObject({
      duration: duration.describe("How long to repeat the steps"),
      get steps(): Steps {
        return steps();
      },
    }),
    description: "Repeat steps for a set duration",
    url: undefined,
  } satisfies StepVariant;
}
