import { ExactNumber } from "../../base/exact_number.ts";

/** Deeper JSON is sent as text: nothing that reads or writes a plan should have to nest so far. */
const DEEPEST = 64;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * Whether writing a JSON text's value again would lose something that the text says: a repeated name or
 * a member called `__proto__`; or whether it nests too deep to be written as a tree.
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

/** Members that survive a copy, `__proto__` among those that do not. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return 0;
  const names = Array.isArray(value) ? [] : Object.keys(value).filter((n) => n !== "__proto__");
  return Object.values(value).reduce((sum, member) => sum + countMembers(member), names.length);
}
