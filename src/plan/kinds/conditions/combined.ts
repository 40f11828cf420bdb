import * as z from "zod";
import { checkCondition } from "../../rules/templates.ts";
import { exactlyOne, withRule } from "../../values/rule.ts";
import { once } from "../../values/schema_walk.ts";

/** The schema of a condition that is an expression. */
export const expressionCondition = withRule(
  z.string().describe(
    "Expression, as it would be written inside `${…}`, such as `total > 10 and not done`",
  ).meta({
    id: "expression",
  }),
  { notation: "expression", check: checkCondition },
);

/** Returns the schema of a condition that combines other conditions. */
export function combined<Conditions extends z.ZodType>(one: () => Conditions) {
  const many = () => z.array(one()).min(1).optional();
  const [all, any] = [
    once(() => many().describe("Conditions that must all be true")),
    once(() => many().describe("Conditions, at least one of which must be true")),
  ];
  const none = once(() => one().optional().describe("Condition that must be false"));
  return exactlyOne(
    z.strictObject({
      get and(): ReturnType<typeof many> {
        return all();
      },
      get or(): ReturnType<typeof many> {
        return any();
      },
      get not(): z.ZodOptional<Conditions> {
        return none();
      },
    }).meta({ id: "combined_condition" }),
    "and",
    "or",
    "not",
  );
}
