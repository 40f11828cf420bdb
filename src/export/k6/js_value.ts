import {
  type ArithmeticOperator,
  calculate,
  isNumber,
  type WrittenNumber,
} from "../../base/exact_number.ts";
import type { FlowScope } from "./flow_scope.ts";
import type { BinaryOperator, Expression } from "../../plan/expressions/expression.ts";
import { parseTemplate } from "../../plan/text/template.ts";

/** JavaScript code for an expression of the plan, and what is known about its value. */
export interface Js {
  readonly code: string;
  /**
   * `text` if the value is always a string, `scalar` if template literals format it as the plan
   * does, `boolean` for the result of a test, and `any` for other values.
   */
  readonly type: "text" | "scalar" | "boolean" | "any";
  /** Variables of the script that must be set before the value can be evaluated. */
  readonly needs: readonly string[];
  /** True if the evaluation can fail even if all variables are set. */
  readonly fails: boolean;
  /** True if the code can be an operand without parentheses. */
  readonly isAtom: boolean;
}

/** Returns a value whose code needs no variables of the script and cannot fail. */
export function constant(code: string, type: Js["type"]): Js {
  return { code, type, needs: [], fails: false, isAtom: true };
}

/**
 * Returns code for an operation on `operands`. The code needs all variables of the operands. It can
 * fail if `fails` is true or if an operand can fail.
 */
export function operation(
  code: string,
  operands: readonly Js[],
  type: Js["type"],
  fails = false,
  isAtom = true,
): Js {
  return {
    code,
    type,
    needs: [...new Set(operands.flatMap(({ needs }) => needs))],
    fails: fails || operands.some((operand) => operand.fails),
    isAtom,
  };
}

/** Returns the code for a value as an operand, in parentheses if necessary. */
export function atom({ code, isAtom }: Js): string {
  return isAtom ? code : `(${code})`;
}

/** Returns JavaScript code that converts a value to a string. */
export function asText(value: Js, scope: FlowScope): string {
  if (value.type === "text") return value.code;
  if (value.type === "any") return `${scope.script.use("text")}(${value.code})`;
  return `String(${value.code})`;
}

/** Returns JavaScript code that converts a value to a boolean, for use as a condition. */
export function asCondition(value: Js, scope: FlowScope): string {
  return value.type === "boolean" ? value.code : `${scope.script.use("truthy")}(${value.code})`;
}

/**
 * Returns JavaScript code that evaluates to a value, or to undefined if a variable that it needs is
 * not set or the evaluation fails.
 */
export function optional(value: Js, scope: FlowScope): string {
  if (!value.fails) {
    if (value.needs.length === 0 || value.needs.length === 1 && value.code === value.needs[0]) {
      return value.code;
    }
  }
  return `${scope.script.use("attempt")}([${value.needs.join(", ")}], () => ${arrowBody(value)})`;
}

/**
 * Returns the code for a value as the body of an arrow function. An object literal is enclosed in
 * parentheses.
 */
export function arrowBody({ code }: Js): string {
  return code.startsWith("{") ? `(${code})` : code;
}

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
