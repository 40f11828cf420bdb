import { parseExactJson } from "../../base/exact_json.ts";

/** Objects and lists within each other beyond this are not walked: the text is kept as text. */
const DEEPEST = 200;

/**
 * The value of a JSON body, its numbers with every digit; undefined for text that is not JSON or nests
 * too deep.
 */
export function readJsonBody(text: string): { readonly value: unknown } | undefined {
  if (depth(text) > DEEPEST) return undefined;
  try {
    return { value: parseExactJson(text) };
  } catch {
    return undefined;
  }
}

/** An upper bound: brackets in strings count. */
function depth(text: string): number {
  let [open, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}
