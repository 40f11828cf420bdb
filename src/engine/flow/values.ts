import { asText } from "../../base/exact_json.ts";
import {
  type ArithmeticOperator,
  calculate,
  compareNumbers,
  ExactNumber,
  isMap,
  isNumber,
  numberIn,
  sameNumber,
  type WrittenNumber,
} from "../../base/exact_number.ts";
import type { BinaryOperator } from "../../plan/expressions/expression.ts";
import type { MetricKind } from "../../plan/text/metrics.ts";
import { TemplateFault, UnsetVariable } from "../vu/flow_end.ts";
import type { Vu } from "../vu/vu.ts";

/**
 * Compiled value that a flow uses in its steps. It is either constant or built for a VU each time
 * it is used, for example because its template contains a variable.
 *
 * Most requests are constant. A constant request is one object, so that the HTTP client encodes it
 * once (bench: scripts/bench/engine.ts, plain, -16 % CPU; see docs/decisions/0001-http-client.md).
 */
export interface Rendered<T> {
  /** True if `render` returns the same value for every VU and iteration. */
  readonly constant: boolean;
  /**
   * Returns the value for a VU. Throws TemplateFault if it cannot be built, for example because a
   * variable is not set. Throws FlowEnd if a data source has no rows left. Constants never throw.
   */
  readonly render: (vu: Vu) => T;
}

/** Wraps a constant value. */
export function constant<T>(value: T): Rendered<T> {
  return { constant: true, render: () => value };
}

/** Wraps a function that builds the value each time the value is used. */
export function varying<T>(render: (vu: Vu) => T): Rendered<T> {
  return { constant: false, render };
}

/**
 * Combines `parts` with `build`. If all parts are constant, `build` is called once, and the result
 * is constant. Otherwise, `build` is called each time the result is used. `build` must use its VU
 * only to render parts.
 */
export function renderedFrom<T>(
  parts: readonly Rendered<unknown>[],
  build: (vu: Vu) => T,
): Rendered<T> {
  return parts.every((part) => part.constant) ? constant(build(NO_VU)) : varying(build);
}

/** Returns the value of a constant, or undefined if the value varies. */
export function constantValue<T>({ constant, render }: Rendered<T>): T | undefined {
  return constant ? render(NO_VU) : undefined;
}

/** Placeholder for the VU when rendering constants, which ignore it. */
const NO_VU = undefined as unknown as Vu;

/**
 * Number of characters that an expression can process if it does not read any variables. Each
 * variable that it reads adds `WORK_PER_CHARACTER` times the length of the variable's text.
 */
const WORK = 1_000_000;
/**
 * Number of additional characters that an expression can process for each character of a variable
 * that it reads.
 */
const WORK_PER_CHARACTER = 10;
/** Number of characters that the current expression can still process. */
let workLeft = 0;

/**
 * Allows the expression that is evaluated next to process 1,000,000 characters of text. Call it
 * before each evaluation.
 */
export function startWork(): void {
  workLeft = WORK;
}

/**
 * Allows the current expression to process 10 more characters for each character of `value`. Call
 * it for each value that the expression reads.
 */
export function allowWorkFor(value: unknown): void {
  if (typeof value === "string") workLeft += WORK_PER_CHARACTER * value.length;
}

/**
 * Counts characters that the current expression processes. Throws TemplateFault if the expression
 * exceeds its limit, so that no expression blocks the run.
 */
export function spend(characters: number): void {
  workLeft -= characters;
  if (workLeft < 0) throw new TemplateFault("an expression processes too much text");
}

/**
 * Converts a value to text. The length of the text counts toward the number of characters that the
 * current expression can process.
 */
export function toText(value: unknown): string {
  const text = asText(value);
  spend(text.length);
  return text.isWellFormed() ? text : text.toWellFormed();
}

/**
 * Converts a value to a number. Throws TemplateFault if the value is neither a number nor text that
 * represents a number.
 */
export function toNumber(value: unknown): WrittenNumber {
  if (isNumber(value)) return value;
  const number = typeof value === "string" ? numberIn(value.trim()) : undefined;
  if (number === undefined) throw new TemplateFault(`not a number: ${shown(value)}`);
  return number;
}

/** Converts a value to a safe integer. Throws TemplateFault if that is not possible. */
export function toInteger(value: unknown): number {
  const number = Number(toNumber(value));
  if (!Number.isSafeInteger(number)) throw new TemplateFault(`not a whole number: ${shown(value)}`);
  return number;
}

/**
 * Formats a value for an error message. Omits long text instead of shortening it, because a
 * shortened secret would not be recognized and redacted.
 */
export function shown(value: unknown): string {
  if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
    return Array.isArray(value) ? "a list" : "a map";
  }
  const text = JSON.stringify(value);
  return text.length > 50 ? `text of ${text.length - 2} characters` : text;
}

const ENCODER = new TextEncoder();

/**
 * Converts a value to text, encoded as UTF-8. The length of the text counts toward the number of
 * characters that the current expression can process.
 */
export function utf8(value: unknown): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(toText(value));
}

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

/**
 * Converts a value for a metric: to a boolean for a rate, otherwise to a number. Throws
 * TemplateFault if a number is required and the value does not represent one.
 */
export function metricValue(kind: MetricKind, value: unknown): number | boolean {
  return kind === "rate" ? truth(value) : Number(toNumber(value));
}
