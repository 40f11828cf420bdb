import type { Diagnostic, Path } from "../rules/diagnostic.ts";

/**
 * Maximum nesting depth of maps and lists in a plan. All code that processes plans supports this
 * depth without overflowing the stack.
 */
export const MAX_DEPTH = 500;

/**
 * Returns the path to the first map or list that is nested more than `levels` deep, or undefined if
 * there is no such map or list. A value that contains itself counts as too deep.
 */
export function tooDeep(value: unknown, levels = MAX_DEPTH): Path | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return [];
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const path = tooDeep(value[i], levels - 1);
      if (path) return [i, ...path];
    }
    return undefined;
  }
  const map = value as Record<string, unknown>;
  for (const key in map) {
    // Most members are strings.
    if (typeof map[key] !== "object" || !Object.hasOwn(map, key)) continue;
    const path = tooDeep(map[key], levels - 1);
    if (path) return [key, ...path];
  }
  return undefined;
}

/**
 * Matches text that may be an alias (`*name`). Most plans have no match, so their values need not
 * be counted.
 */
const ALIAS = /(?:^|[\s[{,])\*[^\s*/,]/m;
/** Maximum number of values in a plan, counting the values of an alias each time it is used. */
const MAX_VALUES = 1_000_000;

/**
 * Returns a diagnostic if the aliases in a plan form a cycle or expand to too many values,
 * otherwise undefined.
 */
export function aliasFault(text: string, value: unknown): Diagnostic | undefined {
  if (!ALIAS.test(text)) return undefined;
  const size = expandedSize(value, new Map());
  if (size <= MAX_VALUES) return undefined;
  const message = size === Infinity
    ? "an alias refers to a value that contains it"
    : `the aliases of the plan expand to more than ${MAX_VALUES} values`;
  return { code: "alias-bomb", severity: "error", path: [], message };
}

/**
 * Returns the number of values in `value`, counting those of an alias each time it is used. Returns
 * `Infinity` if a value contains itself. `known` caches the number for each map and list.
 */
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
