import {
  compareNumbers,
  isNumber,
  numberIn,
  type WrittenNumber,
} from "../../../base/exact_number.ts";
import type { Comparisons, Count } from "../../../plan/kinds/conditions/condition.ts";

/**
 * Compiles the `gt`, `gte`, `lt` and `lte` keys. The returned function reports whether a value
 * satisfies all of these keys. It accepts numbers and strings that represent numbers, and returns
 * false for any other value. Returns undefined if none of the keys is set.
 */
export function compileComparison(
  { gt, gte, lt, lte }: Comparisons,
): ((value: unknown) => boolean) | undefined {
  const tests: ((value: WrittenNumber) => boolean)[] = [];
  if (gt !== undefined) tests.push((value) => compareNumbers(value, gt) > 0);
  if (gte !== undefined) tests.push((value) => compareNumbers(value, gte) >= 0);
  if (lt !== undefined) tests.push((value) => compareNumbers(value, lt) < 0);
  if (lte !== undefined) tests.push((value) => compareNumbers(value, lte) <= 0);
  if (tests.length === 0) return undefined;
  return (value) => {
    const number = numberFrom(value);
    return number !== undefined && tests.every((test) => test(number));
  };
}

function numberFrom(value: unknown): WrittenNumber | undefined {
  if (isNumber(value)) return value;
  return typeof value === "string" ? numberIn(value.trim()) : undefined;
}

/**
 * Compiles the `count` key. The returned function reports whether `found`, the number of matches,
 * satisfies `count`. Returns undefined if the key is not set.
 */
export function compileCount(count: Count | undefined): ((found: number) => boolean) | undefined {
  if (count === undefined) return undefined;
  return typeof count === "number" ? (found) => found === count : compileComparison(count);
}
