import {
  ExactNumber,
  isJsonNumber,
  sameNumber,
  type WrittenNumber,
  writtenNumber,
} from "./exact_number.ts";

/** Maximum length of an integer in exact calculations, in characters. */
const MAX_DIGITS = 100;
const INTEGER = /^-?\d+$/;

/** Operator of a calculation with two numbers. */
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

/**
 * Calculates `a operator b`. Integers are exact: a result beyond 2^53 keeps its digits. If an
 * operand or the result is not an integer, calculates with doubles. Throws RangeError for a
 * division by zero, for an integer of more than 100 digits and for a result that is not finite.
 */
export function calculate(
  operator: ArithmeticOperator,
  a: WrittenNumber,
  b: WrittenNumber,
): WrittenNumber {
  if ((operator === "/" || operator === "%") && Number(b) === 0) {
    throw new RangeError("division by zero");
  }
  const result = calculateDoubles(operator, Number(a), Number(b));
  const isSafe = typeof a === "number" && typeof b === "number" && isExact(a) && isExact(b) &&
    isExact(result);
  if (!isSafe) {
    const exact = calculateIntegers(operator, toInteger(a), toInteger(b));
    if (exact !== undefined) return fromInteger(exact);
  }
  if (!Number.isFinite(result)) throw new RangeError("the result is too large");
  return result;
}

/** Compares two numbers exactly. Returns a negative number, 0 or a positive number. */
export function compareNumbers(a: WrittenNumber, b: WrittenNumber): number {
  if (sameNumber(a, b)) return 0;
  const [x, y] = [toInteger(a), toInteger(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : 1;
  const difference = Number(a) - Number(b);
  // The difference is 0 or NaN if both numbers round to the same double or overflow.
  return difference || (String(a) < String(b) ? -1 : 1);
}

/**
 * Parses text that is a number in JSON syntax, and keeps its digits. Returns undefined if it is not
 * a number.
 */
export function numberIn(text: string): WrittenNumber | undefined {
  if (!isJsonNumber(text)) return undefined;
  const number = Number(text);
  return String(number) === text ? number : new ExactNumber(text);
}

/**
 * Reports whether a double is a safe integer. A calculation is exact if its operands and its result
 * are safe integers.
 */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value);
}

function calculateDoubles(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
  }
}

/**
 * Calculates with integers of any size. Returns undefined if an operand or the result is not an
 * integer.
 */
function calculateIntegers(
  operator: ArithmeticOperator,
  a: bigint | undefined,
  b: bigint | undefined,
): bigint | undefined {
  if (a === undefined || b === undefined) return undefined;
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a % b === 0n ? a / b : undefined;
    case "%":
      return a % b;
  }
}

/** Converts a number to a bigint. Returns undefined if it is not written as an integer. */
function toInteger(value: WrittenNumber): bigint | undefined {
  const text = String(value);
  if (!INTEGER.test(text)) return undefined;
  if (text.length > MAX_DIGITS) throw tooManyDigits();
  return BigInt(text);
}

function fromInteger(value: bigint): WrittenNumber {
  const text = value.toString();
  if (text.length > MAX_DIGITS) throw tooManyDigits();
  return writtenNumber(text);
}

function tooManyDigits(): RangeError {
  return new RangeError(`an integer has more than ${MAX_DIGITS} digits`);
}
