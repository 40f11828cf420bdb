import { ExactNumber, isNumber } from "../../base/exact_number.ts";
import { RequestField } from "./request_field.ts";

/**
 * Copies a JSON value and replaces each leaf (any value except a list or an object) with the result
 * of `leaf`. `key` is the name of the member that contains the leaf. For a leaf in a list, it is
 * the name of the member that contains the list. This function is recursive, so the depth of
 * `value` must be limited.
 */
export function mapLeaves(
  value: unknown,
  leaf: (value: unknown, key: string) => unknown,
  key = "",
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, leaf, key));
  if (
    typeof value !== "object" || value === null || value instanceof RequestField ||
    value instanceof ExactNumber
  ) return leaf(value, key);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapLeaves(member, leaf, name)]),
  );
}

/**
 * Copies a JSON value, and replaces each string and each non-negative integer with a `RequestField`.
 * Appends these fields to `fields`.
 */
export function fieldTree(value: unknown, fields: RequestField[]): unknown {
  return mapLeaves(value, (leaf, key) => {
    const text = leafText(leaf);
    if (text === undefined) return leaf;
    const field = new RequestField("json", key, text, { numeric: isNumber(leaf) });
    fields.push(field);
    return field;
  });
}

/**
 * Returns the text of a leaf that is a string or a non-negative integer, or undefined for any other
 * leaf.
 */
export function leafText(leaf: unknown): string | undefined {
  if (typeof leaf === "string") return leaf;
  if (leaf instanceof ExactNumber) return DIGITS.test(leaf.text) ? leaf.text : undefined;
  return Number.isSafeInteger(leaf) && (leaf as number) >= 0 ? String(leaf) : undefined;
}

const DIGITS = /^\d+$/;

/** Maximum nesting depth of JSON that a plan contains as a tree. Deeper JSON is sent as text. */
const DEEPEST = 64;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * Reports whether a plan must send the JSON in `text` unchanged. This is the case if its parsed
 * form `value` lost members (a repeated name, or the name `__proto__`) or is nested more than 64
 * levels deep.
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

/** Counts the members of a value at all depths, except those named `__proto__`. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return 0;
  const names = Array.isArray(value) ? [] : Object.keys(value).filter((n) => n !== "__proto__");
  return Object.values(value).reduce((sum, member) => sum + countMembers(member), names.length);
}
