import { ExactNumber } from "../../base/exact_number.ts";

/** Maximum depth of JSON that a plan contains as a tree; deeper JSON is sent as text. */
const DEEPEST = 64;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * Reports whether a plan must send a JSON text verbatim, because its parsed `value` would lose
 * information (a repeated name, or a member named `__proto__`) or nests more than 64 levels deep.
 */
export function losesWhenRewritten(text: string, value: unknown): boolean {
  let depth = 0;
  let colons = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") {
      if (++depth > DEEPEST) return true;
    } else if (token === "}" || token === "]") depth--;
    else if (token === ":") colons++;
  }
  return countMembers(value) !== colons;
}

/** Counts the members of a value at all depths, without those named `__proto__`. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return 0;
  const names = Array.isArray(value) ? [] : Object.keys(value).filter((n) => n !== "__proto__");
  return Object.values(value).reduce((sum, member) => sum + countMembers(member), names.length);
}
