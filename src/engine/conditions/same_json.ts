/** True when two JSON values are equal: the order of keys does not matter, that of lists does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(at(a, key), at(b, key)));
}

function at(value: object, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}
