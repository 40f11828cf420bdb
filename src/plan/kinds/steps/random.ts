import * as z from "zod";
import { isMap } from "../../../base/exact_number.ts";
import type { CheckContext } from "../../rules/check_context.ts";
import { withRule } from "../../values/rule.ts";
import { rateOrZero } from "../../values/values.ts";
import type { StepVariant } from "./step.ts";

/** Defines the `random` step. `steps` returns the schema of a list of steps. */
export function random<Steps extends z.ZodType>(steps: () => Steps) {
  const choice = z.strictObject({
    weight: rateOrZero.optional().describe("Relative weight of the choice (default: 1)"),
    name: z.string().optional().meta({
      description: "Name of the choice, only for readers of the plan; it has no effect",
      examples: ["buyers"],
    }),
    get steps(): Steps {
      return steps();
    },
  });
  const schema = z.strictObject({
    strategy: z.enum(["weighted", "uniform", "round_robin"]).optional().describe(
      "How to select a choice: at random in proportion to `weight` (`weighted`), at random with equal " +
        "probability (`uniform`), or in turn (`round_robin`) (default: weighted)",
    ),
    choices: z.array(choice).min(1).describe("Lists of steps; one of them runs each time"),
  });
  return {
    schema: withRule(schema, { check }),
    description: "Run one of several lists of steps",
    url: undefined,
  } satisfies StepVariant;
}

/** Reports an error if choices are weighted and every weight is 0. */
function check(
  context: CheckContext,
  { strategy, choices }: { readonly strategy?: unknown; readonly choices?: unknown },
): void {
  if (!Array.isArray(choices) || strategy !== undefined && strategy !== "weighted") return;
  if (choices.length > 0 && choices.every((choice) => isMap(choice) && choice.weight === 0)) {
    const message = "every weight is 0: expected at least one above 0, or another `strategy`";
    context.report("bad-value", message, { below: ["choices"] });
  }
}
