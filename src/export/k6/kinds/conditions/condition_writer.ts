import type { Condition, ConditionKind } from "../../../../plan/kinds/conditions/conditions.ts";
import type { Comparisons, Count } from "../../../../plan/kinds/conditions/condition.ts";
import { scalarLiteral } from "../../js/literal.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";

/** Condition on a response, of kind `K`. */
export type ConditionOf<K extends ConditionKind> = Extract<Condition, { type: K }>;

/** Writes conditions of kind `K` as JavaScript. `src/plan/kinds/conditions` defines their syntax. */
export interface ConditionWriter<K extends ConditionKind> {
  /**
   * Returns the source of a condition on the response in the variable `response`. The condition is
   * false without a response. Returns undefined if k6 cannot test it.
   */
  write(condition: ConditionOf<K>, response: string, scope: FlowScope): string | undefined;
}

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** Returns the source of the tests of a number with `gt`, `gte`, `lt` and `lte`. */
export function comparisonCodes(value: string, limits: Comparisons): string[] {
  return (["gt", "gte", "lt", "lte"] as const).flatMap((key) => {
    const limit = limits[key];
    return limit === undefined ? [] : [`${value} ${OPERATORS[key]} ${String(limit)}`];
  });
}

/** Returns the source of the test of a number of matches. */
export function countCode(found: string, count: Count): string {
  if (typeof count === "number") return `${found} === ${scalarLiteral(count)}`;
  return comparisonCodes(found, count).join(" && ");
}

/** Joins conditions that must all be true. */
export function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "true" : conditions.join(" && ");
}
