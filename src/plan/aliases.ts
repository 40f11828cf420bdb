import type { Diagnostic } from "./diagnostic.ts";

/** An alias (`*name`) can stand somewhere in a text; most plans have none, and nothing to count. */
const ALIAS = /(?:^|[\s[{,])\*[^\s*/,]/m;
/** What a plan with aliases may grow to, in values. */
const MOST_VALUES = 1_000_000;

/** Why the aliases of a text cannot be followed (a circle, or growth without bound), if so. */
export function aliasFault(text: string, value: unknown): Diagnostic | undefined {
  if (!ALIAS.test(text)) return undefined;
  const size = expandedSize(value, new Map());
  if (size <= MOST_VALUES) return undefined;
  const message = size === Infinity
    ? "an alias stands within what it stands for"
    : `its aliases make it grow to more than ${MOST_VALUES} values`;
  return { code: "alias-bomb", severity: "error", path: [], message };
}

/** How many values a value holds when every alias is written out; infinite for a circle. */
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
