/** `JSON.rawJSON`, which V8 provides but TypeScript does not declare. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A JSON number that JavaScript would print differently, such as 9007199254740993 or 1.10. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** Otherwise, `js-yaml` does not use `toString` for a key. */
  get [Symbol.toStringTag](): string {
    return "ExactNumber";
  }

  toJSON(): unknown {
    return rawJSON(this.text);
  }
}

/** A number that is printed with its original digits. */
export type WrittenNumber = number | ExactNumber;

/** Returns an `ExactNumber` for an exponent, because some YAML parsers read `1e+21` as text. */
export function writtenNumber(text: string): WrittenNumber {
  const number = Number(text);
  return String(number) === text && !text.includes("e") ? number : new ExactNumber(text);
}

/** Reports whether the whole text is a number in JSON syntax. */
export function isJsonNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** Reports whether a value is a JavaScript number or an `ExactNumber`. */
export function isNumber(value: unknown): value is WrittenNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** A YAML scalar such as `0777` or `True`, or that YAML 1.1 reads differently, such as `yes`. */
export class PlainScalar {
  readonly written: string;
  /** The value according to YAML 1.2. */
  readonly value: WrittenNumber | boolean | string;
  readonly isAmbiguous: boolean;

  constructor(written: string, value: WrittenNumber | boolean | string, isAmbiguous: boolean) {
    this.written = written;
    this.value = value;
    this.isAmbiguous = isAmbiguous;
  }

  toString(): string {
    return this.written;
  }

  get [Symbol.toStringTag](): string {
    return "PlainScalar";
  }

  toJSON(): unknown {
    return this.value instanceof ExactNumber ? this.value.toJSON() : this.value;
  }
}

/** Neither a list nor a scalar. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof ExactNumber) && !(value instanceof PlainScalar);
}

/** Exactly the same value, such as 1 and 1.0. */
export function sameNumber(a: WrittenNumber, b: WrittenNumber): boolean {
  if (typeof a === "number" && typeof b === "number") return a === b;
  return canonicalDecimal(String(a)) === canonicalDecimal(String(b));
}

function canonicalDecimal(text: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] = PARTS.exec(text) ?? [];
  if (whole === undefined) return text; // Infinity and NaN
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === "0") start++;
  while (end > start && digits[end - 1] === "0") end--;
  if (start === end) return "0";
  const power = BigInt(exponent) + BigInt(digits.length - end - fraction.length);
  return `${sign}${digits.slice(start, end)}e${power}`;
}

const MAX_DIGITS = 100;
const INTEGER = /^-?\d+$/;

/** Operator of a calculation with two numbers. */
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

/** Calculates integers exactly, also beyond 2^53. Throws RangeError if there is no result. */
export function calculate(
  operator: ArithmeticOperator,
  a: WrittenNumber,
  b: WrittenNumber,
): WrittenNumber {
  if ((operator === "/" || operator === "%") && Number(b) === 0) {
    throw new RangeError("division by zero");
  }
  const result = OPERATIONS[operator](Number(a), Number(b)) as number;
  const isSafe = typeof a === "number" && typeof b === "number" && isExact(a) && isExact(b) &&
    isExact(result);
  if (!isSafe) {
    const [x, y] = [toInteger(a), toInteger(b)];
    const isWhole = x !== undefined && y !== undefined && (operator !== "/" || x % y === 0n);
    if (isWhole) return fromInteger(OPERATIONS[operator](x, y) as bigint);
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

/** Parses text that is a number in JSON syntax, or returns undefined. */
export function numberIn(text: string): WrittenNumber | undefined {
  if (!isJsonNumber(text)) return undefined;
  const number = Number(text);
  return String(number) === text ? number : new ExactNumber(text);
}

function isExact(value: number): boolean {
  return Number.isSafeInteger(value);
}

// deno-lint-ignore no-explicit-any -- both operands are doubles, or both are integers
const OPERATIONS: Readonly<Record<ArithmeticOperator, (a: any, b: any) => number | bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

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

// Prefilter: matches every JSON number that JavaScript would print differently, and may match other
// text. Two patterns, because one combined pattern takes twice as long.
const LONG_INTEGER = /\d{16}/;
const OTHER_NOTATION =
  /(?:(?<=\d{5})\.\d+|\.(?:\d{12,}|\d*0|0{6}\d*)|[eE][+-]?\d+|-0)\s*(?:[,\]}]|$)/;

/** Parses JSON. A number such as 1.10 becomes an `ExactNumber`. Throws `SyntaxError`. */
export function parseExactJson(text: string): unknown {
  if (!LONG_INTEGER.test(text) && !OTHER_NOTATION.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, asWritten);
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text); // Nested about a thousand levels deep.
    throw error;
  }
}

/** TypeScript does not declare the third argument of a reviver. */
function asWritten(_key: string, value: unknown, context?: { readonly source: string }): unknown {
  return typeof value === "number" ? writtenNumber(context!.source) : value;
}

/** Reports whether JavaScript prints every number in `value` as in `text`. May say no wrongly. */
export function isAsWritten(value: unknown, text: string): boolean {
  if (typeof value === "object" && value !== null) {
    return !LONG_INTEGER.test(text) && !OTHER_NOTATION.test(text);
  }
  if (typeof value !== "number") return true;
  return (!Number.isInteger(value) || Number.isSafeInteger(value)) && !OTHER_NOTATION.test(text);
}

/** A string unchanged, and any other value as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reports whether `text` is a JSON object or list. */
export function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
