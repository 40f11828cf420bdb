import type {
  Comparisons,
  Condition,
  ConditionKind,
  Count,
} from "../../../../plan/kinds/conditions.ts";
import { scalarLiteral } from "../../js/literal.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";

/** Condition of kind `K` on a response. */
export type ConditionOf<K extends ConditionKind> = Extract<Condition, { type: K }>;

/**
 * Writes conditions of kind `K` as JavaScript. `src/plan/kinds/conditions` defines their syntax.
 */
export interface ConditionWriter<K extends ConditionKind> {
  /**
   * Returns JavaScript code that tests a condition on the response in the variable `response`. If
   * there is no response, the code evaluates to false. Returns undefined if k6 cannot test the
   * condition.
   */
  write(condition: ConditionOf<K>, response: string, scope: FlowScope): string | undefined;
}

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/**
 * Returns the JavaScript code for each comparison in `limits`. `value` is the code for the number
 * to compare.
 */
export function comparisonCodes(value: string, limits: Comparisons): string[] {
  return (["gt", "gte", "lt", "lte"] as const).flatMap((key) => {
    const limit = limits[key];
    return limit === undefined ? [] : [`${value} ${OPERATORS[key]} ${String(limit)}`];
  });
}

/**
 * Returns JavaScript code that compares the number of matches with `count`. `found` is the code for
 * the number of matches.
 */
export function countCode(found: string, count: Count): string {
  if (typeof count === "number") return `${found} === ${scalarLiteral(count)}`;
  return comparisonCodes(found, count).join(" && ");
}

/** Joins the code for conditions that must all be true. */
export function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "true" : conditions.join(" && ");
}
