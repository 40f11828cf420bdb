import { parseExactJson } from "../../base/exact_json.ts";

/** Maximum depth of a JSON body; deeper ones are kept as text. */
const DEEPEST = 200;

/**
 * Parses a JSON body and keeps every digit of its numbers. Returns undefined for text that is not JSON or
 * nests too deep.
 */
export function readJsonBody(text: string): { readonly value: unknown } | undefined {
  if (depth(text) > DEEPEST) return undefined;
  try {
    return { value: parseExactJson(text) };
  } catch {
    return undefined;
  }
}

/** Returns an upper bound of the depth: it also counts brackets in strings. */
function depth(text: string): number {
  let [open, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}
