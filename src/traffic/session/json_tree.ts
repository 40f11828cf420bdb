import { ExactNumber, isNumber, writtenNumber } from "../../base/exact_number.ts";
import { RequestField } from "./request_field.ts";

/**
 * Copies a JSON value and replaces each leaf, which is neither a list nor an object, with the result of
 * `leaf`. `key` is the name of the leaf's member, or of the list that contains it. Recursive, so the
 * depth of `value` must be bounded.
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
 * Copies a JSON value, with a `RequestField` instead of each string and each non-negative integer.
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
 * Renders a field tree as JSON. Fields become templates, but numbers that are not replaced stay numbers.
 */
export function renderTree(tree: unknown): unknown {
  return mapLeaves(tree, (leaf) => {
    if (!(leaf instanceof RequestField)) return leaf;
    return leaf.numeric && leaf.spans.length === 0 ? writtenNumber(leaf.recorded) : leaf.template();
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
