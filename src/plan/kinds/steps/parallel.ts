import * as z from "zod";
import { countSchema } from "../../values/values.ts";
import { once } from "../../values/schema_walk.ts";
import type { StepVariant } from "./step.ts";

/** Defines the `parallel` step. `steps` returns the schema of a list of steps. */
export function parallel<Steps extends z.ZodType>(steps: () => Steps) {
  const branches = once(() =>
    z.array(steps()).min(1).meta({
      description: "Lists of steps to run in parallel",
      examples: [[[{ request: { url: "/style.css" } }], [{ request: { url: "/logo.svg" } }]]],
    })
  );
  return {
    schema: z.strictObject({
      get branches(): z.ZodArray<Steps> {
        return branches();
      },
      max: countSchema.optional().meta({
        description: "Maximum number of branches that run at the same time (default: all)",
        examples: [6],
      }),
    }),
    description: "Run several lists of steps at the same time",
    url: undefined,
  } satisfies StepVariant;
}
