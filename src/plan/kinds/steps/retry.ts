import * as z from "zod";
import { type Unchecked, withRule } from "../../values/rule.ts";
import { countSchema, shortDuration } from "../../values/values.ts";
import type { CheckContext } from "../../rules/check_context.ts";
import { flowCondition } from "../flow_conditions.ts";
import type { StepVariant } from "./step.ts";

/** Defines the `retry` step. `steps` returns the schema of a list of steps. */
export function retry<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: withRule(
      z.strictObject({
        attempts: countSchema.meta({ description: "Maximum number of attempts", examples: [3] }),
        backoff: shortDuration("Pause before the next attempt (default: 0)").optional(),
        until: flowCondition.describe(
          "Condition that ends the attempts, checked after each attempt",
        ),
        required: z.boolean().optional().describe(
          "Fail the last request if the condition is still false after the last attempt " +
            "(default: false)",
        ),
        get steps(): Steps {
          return steps();
        },
      }),
      { check },
    ),
    description:
      "Repeat steps until a condition is true, up to `attempts` times; stop early if the last " +
      "request needs an unset variable that further attempts cannot set",
    url: undefined,
  } satisfies StepVariant;
}

/**
 * Reports an error if `required` is true and the last step is not a request, because only a request
 * can fail.
 */
function check(
  context: CheckContext,
  { required, steps }: Unchecked<{ required?: boolean; steps: unknown }>,
): void {
  if (required !== true || !Array.isArray(steps)) return;
  const last: unknown = steps.at(-1);
  if (typeof last === "object" && last !== null && "request" in last) return;
  context.report("bad-value", "`required` needs a `request` as the last step in `steps`", {
    below: ["required"],
  });
}
