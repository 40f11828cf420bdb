/** `JSON.rawJSON`, which V8 has but TypeScript's library does not declare. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A JSON number that keeps its original text, such as 9007199254740993, 1.10 or 1e400, because a
 * JavaScript number would be printed differently. `String` and `JSON.stringify` return the original
 * text.
 */
export class ExactNumber {
  /** The original text of the number, in JSON syntax. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return rawJSON(this.text);
  }
}

/** A number that is always printed with the digits of its original text. */
export type WrittenNumber = number | ExactNumber;

/**
 * Converts the text of a JSON number. Returns a JavaScript number if it is printed exactly as
 * `text`, otherwise an `ExactNumber`. Exponents always need an `ExactNumber`, because some YAML
 * parsers read `1e+21` as text.
 */
export function writtenNumber(text: string): WrittenNumber {
  const number = Number(text);
  return String(number) === text && !text.includes("e") ? number : new ExactNumber(text);
}

/** Reports whether a text is a number in JSON's grammar. */
export function isJsonNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** Reports whether a value is a number, of either type. */
export function isNumber(value: unknown): value is WrittenNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** Reports whether `value` is a map as in YAML: an object that is neither a list nor an exact number. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof ExactNumber);
}

/** Reports whether two numbers are equal in value, to the last digit: 1 equals 1.0, 1e400 equals 10e399. */
export function sameNumber(a: WrittenNumber, b: WrittenNumber): boolean {
  if (typeof a === "number" && typeof b === "number") return a === b;
  return canonicalDecimal(String(a)) === canonicalDecimal(String(b));
}

/** Returns the canonical form of a decimal number: digits without outer zeros, and an exponent. */
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
