/** `JSON` with the proposal that V8 has and TypeScript's library does not describe. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A JSON number that a double would write differently, such as 9007199254740993, 1.10 or 1e400. It
 * keeps its text, which `String` and `JSON.stringify` give back.
 */
export class ExactNumber {
  /** The number as it was written, in JSON's grammar. */
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

/** A number that loses no digit of its text. */
export type WrittenNumber = number | ExactNumber;

/**
 * Returns the number that a JSON number's text stands for: a double only if it prints as `text` both in
 * JSON and in YAML, where `1e+21` is text for some readers.
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

/** Compares two numbers by value, to the last digit: 1 equals 1.0 and 1e400 equals 10e399. */
export function sameNumber(a: WrittenNumber, b: WrittenNumber): boolean {
  if (typeof a === "number" && typeof b === "number") return a === b;
  return decimal(String(a)) === decimal(String(b));
}

/** The one way to write a decimal number: its digits without outer zeros, and an exponent. */
function decimal(text: string): string {
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
