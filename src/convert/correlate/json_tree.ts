import { ExactNumber, isNumber, writtenNumber } from "../../base/exact_number.ts";
import { RequestField } from "./request_field.ts";

/**
 * A copy of a JSON value in which `leaf` has replaced everything that is neither list nor object.
 * `key` is the member's name; elements take the name of their list. For values of bounded depth.
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

/** The JSON value with a slot in place of each text and each number that could be an id. */
export function fieldTree(value: unknown, slots: RequestField[]): unknown {
  return mapLeaves(value, (leaf, key) => {
    const text = leafText(leaf);
    if (text === undefined) return leaf;
    const slot = new RequestField("json", key, text, { numeric: isNumber(leaf) });
    slots.push(slot);
    return slot;
  });
}

/** The JSON value of a slot tree: templates in place of text, numbers that nothing replaced as numbers. */
export function renderTree(tree: unknown): unknown {
  return mapLeaves(tree, (leaf) => {
    if (!(leaf instanceof RequestField)) return leaf;
    return leaf.numeric && leaf.spans.length === 0 ? writtenNumber(leaf.recorded) : leaf.template();
  });
}

/** The text of a leaf that could be a dynamic value: text, or a whole number written in digits alone. */
export function leafText(leaf: unknown): string | undefined {
  if (typeof leaf === "string") return leaf;
  if (leaf instanceof ExactNumber) return DIGITS.test(leaf.text) ? leaf.text : undefined;
  return Number.isSafeInteger(leaf) && (leaf as number) >= 0 ? String(leaf) : undefined;
}

const DIGITS = /^\d+$/;
