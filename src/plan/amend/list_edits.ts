import { isNode, type YAMLSeq } from "yaml";
import { printItems } from "../print.ts";
import { childSchema, type SchemaNode } from "../values/schema_walk.ts";
import type { Amendment } from "./amendment.ts";
import { isSameValue } from "./same_value.ts";

/** Edits a list in block style. Returns false if the whole list must be rewritten instead. */
export function amendList(
  amendment: Amendment,
  node: YAMLSeq,
  before: readonly unknown[],
  after: readonly unknown[],
  schema: SchemaNode | undefined,
): boolean {
  const { edits } = amendment;
  const indent = edits.indentOf(node.range![0]);
  const { start, end } = equalItems(before, after);
  const removed = before.length - end - start;
  const added = after.length - end - start;
  for (let i = start; i < start + Math.min(removed, added); i++) {
    const item = node.items[i];
    const itemSchema = schema && childSchema(schema, i);
    if (amendment.amend(item, before[i], after[i], itemSchema)) continue;
    if (!isNode(item)) return false;
    const lines = printItems([after[i]], schema).slice("- ".length);
    edits.replace(item.range![0], edits.contentEnd(item), lines, indent);
  }
  for (let i = start + added; i < start + removed; i++) {
    const item = node.items[i];
    if (!isNode(item)) return false;
    const dash = edits.text.lastIndexOf("-", item.range![0] - 1);
    if (!edits.startsLine(dash)) return false;
    edits.removeLines(dash, edits.contentEnd(item));
  }
  if (added <= removed) return true;
  const lines = printItems(after.slice(start + removed, start + added), schema);
  const above = start + removed - 1;
  if (above < 0) edits.insertAbove(node.range![0], lines, indent);
  else edits.insertBelow(edits.contentEnd(node.items[above]), lines, indent);
  return true;
}

/**
 * Returns the number of equal items at the start of two lists, and the number of equal items at the
 * end of the rest.
 */
function equalItems(
  before: readonly unknown[],
  after: readonly unknown[],
): { readonly start: number; readonly end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSameValue(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && isSameValue(before.at(-1 - end), after.at(-1 - end))) end++;
  return { start, end };
}
