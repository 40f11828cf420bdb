import * as z from "zod";
import { type Rule, withRule } from "../../values/rule.ts";
import type { StepVariant } from "./step.ts";

/** Defines the `group` step. `steps` returns the schema of a list of steps. */
export function group<Steps extends z.ZodType>(steps: () => Steps) {
  const schema = z.strictObject({
    name: z.string().regex(
      /^(?!.*::)/s,
      "expected a name without `::`, which separates nested groups",
    )
      .meta({
        description: "Name of the group, which becomes part of the tag `group`",
        examples: ["checkout"],
      }),
    get steps(): Steps {
      return steps();
    },
  });
  const rule: Rule<{ readonly name?: unknown }> = {
    enter: (context, { name }) => void context.groups.push(String(name)),
    check: (context) => void context.groups.pop(),
  };
  return {
    schema: withRule(schema, rule),
    description: "Run steps under a common name",
    url: undefined,
  } satisfies StepVariant;
}
