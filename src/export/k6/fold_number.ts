import {
  type ArithmeticOperator,
  calculate,
  isNumber,
  type WrittenNumber,
} from "../../base/exact_number.ts";
import type { BinaryOperator, Expression } from "../../plan/expressions/expression.ts";
import { parseTemplate } from "../../plan/text/template.ts";

const ARITHMETIC: ReadonlySet<BinaryOperator> = new Set(["+", "-", "*", "/", "%"]);

/**
 * Calculates an expression that consists only of numbers and arithmetic operators. The result has
 * the same digits as in a run of the plan. Returns undefined for any other expression, and if the
 * calculation fails.
 */
export function foldNumber(expression: Expression): WrittenNumber | undefined {
  switch (expression.kind) {
    case "literal":
      return isNumber(expression.value) ? expression.value : undefined;
    case "unary":
      return expression.operator === "-"
        ? arithmetic("-", 0, foldNumber(expression.operand))
        : undefined;
    case "binary": {
      const { operator, left, right } = expression;
      if (!ARITHMETIC.has(operator)) return undefined;
      return arithmetic(operator as ArithmeticOperator, foldNumber(left), foldNumber(right));
    }
    default:
      return undefined;
  }
}

/**
 * Calculates a template that is a single `${…}`, in the same way as `foldNumber`. Returns undefined
 * for any other template.
 */
export function foldTemplate(template: string): WrittenNumber | undefined {
  const [only, ...more] = parseTemplate(template);
  return only.kind === "text" || more.length > 0 ? undefined : foldNumber(only);
}

function arithmetic(
  operator: ArithmeticOperator,
  a: WrittenNumber | undefined,
  b: WrittenNumber | undefined,
): WrittenNumber | undefined {
  if (a === undefined || b === undefined) return undefined;
  try {
    return calculate(operator, a, b);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
