import * as z from "zod";
import { checkItems } from "../../rules/templates.ts";
import { withRule } from "../../values/rule.ts";
import { jsonSchema, templateSchema, variableName } from "../../values/values.ts";
import type { StepVariant } from "./step.ts";

const reference = withRule(templateSchema.meta({}), { check: checkItems });

/** Defines the `foreach` step. `steps` returns the schema of a list of steps. */
export function foreach<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: z.strictObject({
      items: z.union([z.array(jsonSchema), reference]).meta({
        description: "List, or a single `${…}` whose value is a list",
        examples: [["books", "games"], "${product_ids}"],
      }),
      as: variableName.meta({
        description: "Variable for the current item, used as `${name}`",
        examples: ["product"],
      }),
      get steps(): Steps {
        return steps();
      },
    }),
    description: "Run steps once for each item of a list",
    url: undefined,
  } satisfies StepVariant;
}
