import { z } from "zod";
import { checkOperand } from "../../rules/templates.ts";
import { exactlyOne, withRule } from "../../values/rule.ts";
import { jsonSchema, regex } from "../../values/values.ts";

/** The schema of a condition on a variable, in `if`, `while` and `retry`. */
export const variableCondition = exactlyOne(
  z.strictObject({
    var: withRule(
      z.string().describe("Variable or other reference, as it would be written inside `${…}`"),
      { check: checkOperand },
    ),
    equals: jsonSchema.optional().describe("Expected value"),
    matches: regex.optional().describe("Regular expression that the value must match"),
    exists: z.boolean().optional().describe(
      "True if the variable must be set, false if it must be unset",
    ),
  }).meta({ id: "variable_condition" }),
  "equals",
  "matches",
  "exists",
);

export type VariableCondition = z.infer<typeof variableCondition>;
