import * as z from "zod";
import { COMPARISONS, comparisons, type Condition, condition } from "./conditions.ts";
import type { CheckContext } from "../rules/check_context.ts";
import { checkCondition, checkOperand } from "../rules/templates.ts";
import { atMostOne, exactlyOne, withRule } from "../values/rule.ts";
import { once } from "../values/schema_walk.ts";
import { jsonSchema, regex } from "../values/values.ts";

/** The schema of a condition that is an expression. */
const expressionCondition = withRule(
  z.string().describe(
    "Expression, as it would be written inside `${…}`, such as `total > 10 and not done`",
  ).meta({
    id: "expression",
  }),
  { notation: "expression", check: checkCondition },
);

const TESTS = ["equals", "matches", "exists"] as const;

/** The schema of a condition on a variable, in `if`, `while` and `retry`. */
const variableCondition = withRule(
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

interface FlowConditionSchema extends z.ZodType<FlowCondition> {}

/**
 * The schema of a condition in `if`, `while` and `retry`. It tests the last response or variables.
 */
export const flowCondition: FlowConditionSchema = z.union([
  condition,
  variableCondition,
  expressionCondition,
  combined(() => flowCondition),
]).meta({ id: "flow_condition" });

/** A condition that combines other conditions. Exactly one key is set. */
export interface CombinedCondition {
  and?: FlowCondition[];
  or?: FlowCondition[];
  not?: FlowCondition;
}

/**
 * A condition in `if`, `while` or `retry`: a condition on the last response or on a variable, an
 * expression, or a combination of conditions.
 */
export type FlowCondition = Condition | VariableCondition | CombinedCondition | string;

/** Returns the schema of a condition that combines other conditions. */
function combined<Conditions extends z.ZodType>(one: () => Conditions) {
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
