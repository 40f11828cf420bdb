import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { Args } from "./command.ts";

/**
 * Parses the value of an option as an integer from `min` to `max`. Returns undefined if the option
 * was not given. Throws UsageError if the value is invalid.
 */
export function parseWholeNumber(
  args: Args,
  name: string,
  min = 0,
  max = Infinity,
): number | undefined {
  const found = args.text(name);
  if (found === undefined) return undefined;
  if (/^\d{1,15}$/.test(found) && Number(found) >= min && Number(found) <= max) {
    return Number(found);
  }
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  throw wrong(name, found, `a whole number ${range}`);
}

/**
 * Parses the value of an option as a number greater than 0. Returns undefined if the option was not
 * given. Throws UsageError if the value is invalid.
 */
export function parsePositiveNumber(args: Args, name: string): number | undefined {
  const found = args.text(name);
  if (found === undefined) return undefined;
  if (/^\d*\.?\d+$/.test(found) && Number(found) > 0) return Number(found);
  throw wrong(name, found, "a number above 0, such as 0.5");
}

function wrong(name: string, found: string, expected: string): UsageError {
  return new UsageError(`--${name} cannot be ${safeSnippet(found)}: expected ${expected}`);
}
