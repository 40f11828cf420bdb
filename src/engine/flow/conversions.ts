import { asText } from "../../base/exact_json.ts";
import { ExactNumber, isNumber, numberIn, type WrittenNumber } from "../../base/exact_number.ts";
import { TemplateFault } from "../vu/flow_end.ts";

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
