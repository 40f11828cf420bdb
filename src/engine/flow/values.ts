import {
  type ArithmeticOperator,
  asText,
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
  readonly constant: boolean;
  /** Returns the value for a VU. Throws TemplateFault or, without rows of data, FlowEnd. */
  readonly render: (vu: Vu) => T;
}

export function constant<T>(value: T): Rendered<T> {
  return { constant: true, render: () => value };
}

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

export function constantValue<T>({ constant, render }: Rendered<T>): T | undefined {
  return constant ? render(NO_VU) : undefined;
}

/** Placeholder for the VU when rendering constants, which ignore it. */
const NO_VU = undefined as unknown as Vu;

/** Maximum length of a text that an expression builds, in UTF-16 code units. */
const MAX_LENGTH = 2 ** 24;

export function checkLength(length: number): void {
  if (length <= MAX_LENGTH) return;
  throw new TemplateFault(`the text is longer than ${MAX_LENGTH} characters`);
}

export function toText(value: unknown): string {
  return asText(value).toWellFormed();
}

/** Converts a value to a number. Throws TemplateFault if it does not represent one. */
export function toNumber(value: unknown): WrittenNumber {
  const number = numberFrom(value);
  if (number === undefined) throw new TemplateFault(`not a number: ${shown(value)}`);
  return number;
}

/** Formats a value for an error. Omits long text, because a shortened secret is not redacted. */
export function shown(value: unknown): string {
  if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
    return Array.isArray(value) ? "a list" : "a map";
  }
  const text = JSON.stringify(value);
  return text.length > 50 ? `text of ${text.length - 2} characters` : text;
}

const ENCODER = new TextEncoder();

export function utf8(value: unknown): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(toText(value));
}

/** Compiles an operator. `pattern` is the right operand of `matches`. */
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
  const [x, y] = [numberFrom(a), numberFrom(b)];
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

export function numberFrom(value: unknown): WrittenNumber | undefined {
  if (isNumber(value)) return value;
  return typeof value === "string" ? numberIn(value.trim()) : undefined;
}

/** Reports whether a value is not null, false, 0, empty or `"false"`. */
export function truth(value: unknown): boolean {
  if (typeof value === "string") return value !== "" && value !== "false";
  if (isNumber(value)) return Number(value) !== 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Reports whether two JSON values are equal. Ignores the order of keys. */
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

/** Converts a value to a boolean for a rate, otherwise to a number, or throws TemplateFault. */
export function metricValue(kind: MetricKind, value: unknown): number | boolean {
  return kind === "rate" ? truth(value) : Number(toNumber(value));
}
