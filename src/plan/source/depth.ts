import type { Path } from "../rules/diagnostic.ts";

/** Maximum nesting of maps and lists; every part of the tool handles this depth without overflow. */
export const MAX_DEPTH = 500;

/**
 * Returns the path to the first map or list nested deeper than `levels`, or undefined if there is none.
 * Cyclic values count as too deep.
 */
export function tooDeep(value: unknown, levels = MAX_DEPTH): Path | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return [];
  const entries: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, item] of entries) {
    const path = tooDeep(item, levels - 1);
    if (path) return [key, ...path];
  }
  return undefined;
}
