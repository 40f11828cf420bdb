import { isNode, type YAMLSeq } from "yaml";
import { alignLists, type ItemPair } from "../compare/align_lists.ts";
import { labelItem } from "../compare/item_label.ts";
import { printItems } from "../print.ts";
import { childSchema, type SchemaNode } from "../values/schema_walk.ts";
import type { Amendment } from "./amendment.ts";

/**
 * Consecutive items that have no counterpart in the other version of a list. `before` and `after`
 * are the ranges `[from, to)` at the same position in the two versions.
 */
interface Gap {
  readonly before: readonly [from: number, to: number];
  readonly after: readonly [from: number, to: number];
}

/**
 * Edits a list in block style so that it changes from `before` to `after`. An item that is in both
 * versions keeps its comments, even if items before it are added or removed. Returns false if the
 * whole list must be rewritten instead.
 */
export function amendList(
  amendment: Amendment,
  node: YAMLSeq,
  before: readonly unknown[],
  after: readonly unknown[],
  schema: SchemaNode | undefined,
): boolean {
  const { edits } = amendment;
  const indent = edits.indentOf(node.range![0]);
  const pairs = samePairs(before, after);
  if (pairs.length === 0) return false;
  for (const [i, j] of pairs) {
    const item = node.items[i];
    if (amendment.amend(item, before[i], after[j], schema && childSchema(schema, i))) continue;
    if (!isNode(item)) return false;
    const lines = printItems([after[j]], schema).slice("- ".length);
    edits.replace(item.range![0], edits.contentEnd(item), lines, indent);
  }
  return gaps(pairs, before.length, after.length).every(
    ({ before: [start, end], after: added }) => {
      for (let i = start; i < end; i++) {
        const dash = dashOffset(i);
        if (dash === undefined) return false;
        edits.removeLines(edits.commentsAbove(dash), edits.contentEnd(node.items[i]));
      }
      if (added[0] === added[1]) return true;
      const lines = printItems(after.slice(...added), schema);
      if (start > 0) {
        edits.insertBelow(edits.contentEnd(node.items[start - 1]), lines, indent);
        return true;
      }
      const dash = dashOffset(end);
      if (dash === undefined) return false;
      edits.insertAbove(edits.commentsAbove(dash), lines, indent);
      return true;
    },
  );

  /**
   * Returns the offset of the dash before an item, or undefined if the dash does not start its
   * line.
   */
  function dashOffset(i: number): number | undefined {
    const item = node.items[i];
    if (!isNode(item)) return undefined;
    const dash = edits.text.lastIndexOf("-", item.range![0] - 1);
    return edits.startsLine(dash) ? dash : undefined;
  }
}

/**
 * Pairs the items that are versions of the same item, in the order of both lists. Choices with
 * different names and different steps are never paired, even at the same position.
 */
function samePairs(before: readonly unknown[], after: readonly unknown[]): ItemPair[] {
  const pairs = alignLists(before, after, { content: "language", isUnordered: false })
    .filter(([i, j]) => {
      const [a, b] = [labelItem(before[i]), labelItem(after[j])];
      return a.sort !== "choice" || a.text === b.text || a.content === b.content;
    });
  const single = gaps(pairs, before.length, after.length).filter((
    { before: [i, end], after: to },
  ) => end - i === 1 && to[1] - to[0] === 1 && labelItem(before[i]).sort !== "choice");
  return [...pairs, ...single.map(({ before: [i], after: [j] }): ItemPair => [i, j])]
    .sort(([a], [b]) => a - b);
}

/** Returns the gaps before, between and after the pairs. Omits empty gaps. */
function gaps(
  pairs: readonly ItemPair[],
  beforeLength: number,
  afterLength: number,
): Gap[] {
  const all: Gap[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...pairs, [beforeLength, afterLength] as const]) {
    if (nextI > i || nextJ > j) all.push({ before: [i, nextI], after: [j, nextJ] });
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return all;
}
