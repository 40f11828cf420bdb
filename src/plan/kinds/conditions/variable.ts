import * as z from "zod";
import type { CheckContext } from "../../rules/check_context.ts";
import { checkOperand } from "../../rules/templates.ts";
import { atMostOne, withRule } from "../../values/rule.ts";
import { jsonSchema, regex } from "../../values/values.ts";
import { COMPARISONS, comparisons } from "./condition.ts";

const TESTS = ["equals", "matches", "exists"] as const;

/** The schema of a condition on a variable, in `if`, `while` and `retry`. */
export const variableCondition = withRule(
  atMostOne(
    z.strictObject({
      var: withRule(
        z.string().meta({
          description: "Variable or expression, as it would be written inside `${…}`",
          examples: ["total", "total > 10"],
        }),
        { check: checkOperand },
      ),
      equals: jsonSchema.optional().meta({ description: "Expected value", examples: ["paid", 3] }),
      matches: regex.optional().meta({
        description: "Regular expression that the value must match",
        examples: ["^[0-9]+$"],
      }),
      exists: z.boolean().optional().describe(
        "True if the variable must be set, false if it must be unset",
      ),
      ...comparisons("value"),
    }).meta({ id: "variable_condition" }),
    ...TESTS,
  ),
  { check: requireTest },
);

export type VariableCondition = z.infer<typeof variableCondition>;

function requireTest(context: CheckContext, condition: Readonly<Record<string, unknown>>): void {
  const keys = [...TESTS, ...COMPARISONS];
  if (keys.some((key) => condition[key] !== undefined)) return;
  if (Object.keys(condition).some((key) => key !== "var")) return; // an unknown key, already reported
  context.report("missing-key", `expected at least one of ${keys.join(", ")}, found none`);
}
