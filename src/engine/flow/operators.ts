import {
  type ArithmeticOperator,
  calculate,
  compareNumbers,
  isMap,
  isNumber,
  numberIn,
  sameNumber,
  type WrittenNumber,
} from "../../base/exact_number.ts";
import type { BinaryOperator } from "../../plan/expressions/expression.ts";
import { shown, toNumber, toText } from "./conversions.ts";
import { TemplateFault, UnsetVariable } from "../vu/flow_end.ts";
import { type Rendered, renderedFrom } from "./rendered.ts";

/**
 * Compiles an operator and its operands. `pattern` is the right operand of `matches`; other
 * operators ignore it. Rendering throws TemplateFault if an operand has the wrong type.
 */
export function compileOperator(
  operator: BinaryOperator | "not",
  operands: readonly Rendered<unknown>[],
  pattern: unknown,
): Rendered<unknown> {
  const [left, right] = operands;
  switch (operator) {
    case "not":
      return renderedFrom(operands, (vu) => !truth(left.render(vu)));
    case "or":
      return renderedFrom(operands, (vu) => truth(left.render(vu)) || truth(right.render(vu)));
    case "and":
      return renderedFrom(operands, (vu) => truth(left.render(vu)) && truth(right.render(vu)));
    case "??":
      return renderedFrom(operands, (vu) => present(left, vu) ?? right.render(vu));
    case "matches": {
      const regex = new RegExp(String(pattern));
      return renderedFrom([left], (vu) => regex.test(toText(left.render(vu))));
    }
    case "-":
      if (right === undefined) {
        return renderedFrom(operands, (vu) => arithmetic("-", 0, left.render(vu)));
      }
  }
  const apply = OPERATIONS[operator];
  return renderedFrom(operands, (vu) => apply(left.render(vu), right.render(vu)));
}

type Vu = Parameters<Rendered<unknown>["render"]>[0];

/** Returns the value of an operand, or undefined if the value is null or does not exist. */
function present(value: Rendered<unknown>, vu: Vu): unknown {
  try {
    return value.render(vu) ?? undefined;
  } catch (error) {
    if (error instanceof UnsetVariable) return undefined;
    throw error;
  }
}

const OPERATIONS: Readonly<
  Record<
    Exclude<BinaryOperator, "or" | "and" | "??" | "matches">,
    (a: unknown, b: unknown) => unknown
  >
> = {
  "==": isEqual,
  "!=": (a, b) => !isEqual(a, b),
  "<": (a, b) => compare(a, b) < 0,
  "<=": (a, b) => compare(a, b) <= 0,
  ">": (a, b) => compare(a, b) > 0,
  ">=": (a, b) => compare(a, b) >= 0,
  "+": (a, b) => isNumber(a) && isNumber(b) ? arithmetic("+", a, b) : toText(a) + toText(b),
  "-": (a, b) => arithmetic("-", a, b),
  "*": (a, b) => arithmetic("*", a, b),
  "/": (a, b) => arithmetic("/", a, b),
  "%": (a, b) => arithmetic("%", a, b),
};

function arithmetic(operator: ArithmeticOperator, a: unknown, b: unknown): WrittenNumber {
  try {
    return calculate(operator, toNumber(a), toNumber(b));
  } catch (error) {
    throw error instanceof RangeError ? new TemplateFault(error.message) : error;
  }
}

/**
 * Reports whether two values are equal. A number equals a string that represents the same number.
 */
function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a === "string" && isNumber(b)) return isEqual(b, a);
  if (isNumber(a) && typeof b === "string") {
    const number = numberIn(b);
    return number !== undefined && sameJson(a, number);
  }
  return sameJson(a, b);
}

/**
 * Compares two values as numbers if both are numbers or strings that represent numbers. Compares
 * other strings character by character. Returns a negative number, 0 or a positive number. Throws
 * TemplateFault for any other values.
 */
function compare(a: unknown, b: unknown): number {
  const [x, y] = [numberFor(a), numberFor(b)];
  if (x !== undefined && y !== undefined) {
    try {
      return compareNumbers(x, y);
    } catch (error) {
      throw error instanceof RangeError ? new TemplateFault(error.message) : error;
    }
  }
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  throw new TemplateFault(`cannot compare ${shown(a)} with ${shown(b)}`);
}

function numberFor(value: unknown): WrittenNumber | undefined {
  return isNumber(value) ? value : typeof value === "string" ? numberIn(value) : undefined;
}

/**
 * Reports whether a condition is true. Null, false, 0, empty text, `"false"` and empty lists and
 * maps are false. Every other value is true.
 */
export function truth(value: unknown): boolean {
  if (typeof value === "string") return value !== "" && value !== "false";
  if (isNumber(value)) return Number(value) !== 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/**
 * Reports whether two JSON values are equal. Ignores the order of object keys, but not the order of
 * list items. Compares numbers exactly, by value.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) return sameNumber(a, b);
  if (isNumber(a) || isNumber(b)) return false;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(at(a, key), at(b, key)));
}

function at(value: object, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}
