import { isNumber, sameNumber } from "../../base/exact_number.ts";

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
