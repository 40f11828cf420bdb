import { parseExactJson } from "../../base/exact_json.ts";

/** Maximum nesting depth of a JSON body. Bodies that nest deeper are kept as text. */
const DEEPEST = 200;

/**
 * Parses a JSON body without loss of digits in its numbers. Returns undefined if the text is not JSON
 * or nests too deep.
 */
export function readJsonBody(text: string): { readonly value: unknown } | undefined {
  if (depth(text) > DEEPEST) return undefined;
  try {
    return { value: parseExactJson(text) };
  } catch {
    return undefined;
  }
}

/**
 * Returns an upper bound of the nesting depth of JSON text. It is not exact, because brackets in
 * strings count too.
 */
function depth(text: string): number {
  let [open, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}
