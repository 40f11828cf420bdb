import { ExactNumber, isMap, PlainScalar } from "../../base/exact_number.ts";

/**
 * Reports whether two values in plans are deeply equal. A key whose value is undefined counts as
 * absent.
 */
export function isSameValue(a: unknown, b: unknown): boolean {
  if ([a, b].some((value) => value instanceof ExactNumber || value instanceof PlainScalar)) {
    return typeof a !== "string" && typeof b !== "string" && String(a) === String(b);
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => isSameValue(item, b[i]));
  }
  if (!isMap(a) || !isMap(b)) return Object.is(a, b);
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isSameValue(ownMember(a, key), ownMember(b, key)));
}

/** Returns the value of a key, or undefined if the map itself does not have it. */
export function ownMember(map: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
