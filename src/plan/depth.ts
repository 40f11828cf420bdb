import type { Path } from "./diagnostic.ts";

/** How many maps and lists may stand within each other: what every part of the tool reads safely. */
export const MAX_DEPTH = 500;

/** The path to a value that lies deeper than `MAX_DEPTH` (or in a circle), or undefined. */
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
