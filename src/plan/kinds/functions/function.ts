import { isNumber, type WrittenNumber } from "../../../base/exact_number.ts";

/** Value of an argument that is a literal. Undefined if the value is known only during the run. */
export type KnownArgument = string | boolean | null | WrittenNumber | undefined;

/** Definition of a function of the plan language. `engine/kinds/functions` evaluates it. */
export interface FunctionVariant {
  /**
   * Names of the arguments. `?` at the end of a name marks an optional argument, and `…` an
   * argument that can be repeated.
   */
  readonly parameters: readonly string[];
  /** Description of the result, for the docs. */
  readonly description: string;
  /** Example of a call, for the docs. */
  readonly example: string;
  /** Result of the example as text. Absent if the result is not always the same. */
  readonly result?: string;
  /** True if the argument is a name that is not evaluated, as in `uuid(draft)`. */
  readonly takesName?: true;
  /** Returns the error in the arguments of a call, or undefined if there is no error. */
  readonly check?: (args: readonly KnownArgument[]) => string | undefined;
}

/** Returns the smallest and the largest number of arguments that a function accepts. */
export function arity({ parameters }: FunctionVariant): [least: number, most: number] {
  const least = parameters.filter((name) => !name.endsWith("?")).length;
  return [least, parameters.some((name) => name.endsWith("…")) ? Infinity : parameters.length];
}

/** Text encodings for hashes. */
export const ENCODINGS: readonly string[] = ["hex", "base64", "base64url"];

/** Returns an error if the encoding is known to be invalid, otherwise undefined. */
export function encodingError(encoding: KnownArgument): string | undefined {
  if (encoding === undefined || ENCODINGS.includes(encoding as string)) return undefined;
  return `the encoding must be one of ${ENCODINGS.join(", ")}`;
}

/**
 * Returns an error if `min` and `max` are known numbers and `min` is greater than `max`, otherwise
 * undefined.
 */
export function rangeError(min: KnownArgument, max: KnownArgument): string | undefined {
  if (!isNumber(min) || !isNumber(max) || Number(min) <= Number(max)) return undefined;
  return "the first number is greater than the second";
}
