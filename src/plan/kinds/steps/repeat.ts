import * as z from "zod";
import { countOrZero } from "../../values/values.ts";
import type { StepVariant } from "./step.ts";

/** Defines the `repeat` step. `steps` returns the schema of a list of steps. */
export function repeat<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: z.strictObject({
      times: countOrZero.meta({ description: "Number of repetitions", examples: [3] }),
      get steps(): Steps {
        return steps();
      },
    }),
    description: "Repeat steps a given number of times",
    url: undefined,
  } satisfies StepVariant;
}
