import type { Diagnostic, Path } from "../rules/diagnostic.ts";

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

/**
 * Prefilter: matches a possible alias (`*name`). Most plans have no alias, so that no values need to be
 * counted.
 */
const ALIAS = /(?:^|[\s[{,])\*[^\s*/,]/m;
/** Maximum number of values in a plan after its aliases are expanded. */
const MAX_VALUES = 1_000_000;

/** Returns the diagnostic of a plan whose aliases form a cycle or expand to too many values. */
export function aliasFault(text: string, value: unknown): Diagnostic | undefined {
  if (!ALIAS.test(text)) return undefined;
  const size = expandedSize(value, new Map());
  if (size <= MAX_VALUES) return undefined;
  const message = size === Infinity
    ? "an alias refers to a value that contains it"
    : `the aliases of the plan expand to more than ${MAX_VALUES} values`;
  return { code: "alias-bomb", severity: "error", path: [], message };
}

/** Returns the number of values in `value` after expanding its aliases; `Infinity` for a cycle. */
function expandedSize(value: unknown, known: Map<object, number>): number {
  if (typeof value !== "object" || value === null) return 1;
  const size = known.get(value);
  if (size !== undefined) return size;
  known.set(value, Infinity);
  let sum = 1;
  for (const item of Object.values(value)) sum += expandedSize(item, known);
  known.set(value, sum);
  return sum;
}
