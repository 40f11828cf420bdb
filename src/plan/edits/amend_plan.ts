import { isNode, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import * as yaml from "yaml";
import { isMap } from "../../base/exact_number.ts";
import { parseYaml } from "../../base/yaml.ts";
import { withDoubles } from "../normalize_plan.ts";
import { orderedKeys, printEntries, printInline, printItems, yamlText } from "../print.ts";
import { type Plan, plan as planSchema } from "../schema/plan.ts";
import { parseTree } from "../parse_tree.ts";
import { branchFor, childSchema, type SchemaNode } from "../values/schema_walk.ts";
import {
  alignLists,
  gaps,
  isSameValue,
  type ItemPair,
  labelItem,
  ownMember,
} from "./align_lists.ts";
import { TextEdits } from "./text_edits.ts";

/** UTF-16 code units. A syntax tree needs about 100 times as much memory as its text. */
const MAX_TEXT = 2_000_000;

/**
 * Edits the text of a plan so that it describes `plan`. Keeps the comments, the order and the
 * formatting of all parts that do not change. Returns undefined if that is not possible, for
 * example because an anchor and its alias share a value that changes in only one of the two places,
 * or because the text is longer than 2 million UTF-16 code units. Throws an `Error` if the text is
 * not valid YAML.
 */
export function amendPlanText(text: string, plan: Plan): string | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const amendment = new TreeAmendment(text);
  const before = withDoubles(parsePlan(text));
  const { contents } = parseTree(text, false);
  if (!amendment.amend(contents, before, plan, planSchema)) return undefined;
  const amended = amendment.edits.apply();
  return describes(amended, plan) ? amended : undefined;
}

function parsePlan(text: string): unknown {
  return parseYaml(text, { keepPlain: true });
}

function describes(text: string, plan: Plan): boolean {
  try {
    return isSameValue(withDoubles(parsePlan(text)), plan);
  } catch {
    return false;
  }
}

/** Amends YAML text. Uses the syntax tree of the text to locate the parts to edit. */
class TreeAmendment implements Amendment {
  readonly edits: TextEdits;

  constructor(text: string) {
    this.edits = new TextEdits(text);
  }

  readonly amend: Amendment["amend"] = (node, before, after, schema, inFlow = false) =>
    isSameValue(before, after) ||
    this.edits.attempt(() => this.#change(node, before, after, schema, inFlow));

  #change(
    node: unknown,
    before: unknown,
    after: unknown,
    schema: SchemaNode | undefined,
    inFlow: boolean,
  ): boolean {
    if (!yaml.isNode(node) || yaml.isAlias(node) || node.tag !== undefined) return false;
    const branch = schema && branchFor(schema, after);
    if (yaml.isCollection(node) && node.flow) return this.#flow(node, before, after, branch);
    if (yaml.isMap(node)) {
      return isMap(before) && isMap(after) && amendMap(this, node, before, after, branch);
    }
    if (yaml.isSeq(node)) {
      return Array.isArray(before) && Array.isArray(after) && after.length > 0 &&
        amendList(this, node, before, after, branch);
    }
    if (!yaml.isScalar(node) || node.source === "" || isMap(after) || Array.isArray(after)) {
      return false;
    }
    const text = typeof after === "string" && !inFlow ? yamlText(after) : printInline(after);
    this.edits.replace(node.range![0], this.edits.contentEnd(node), text, "");
    return true;
  }

  #flow(
    node: yaml.YAMLMap | yaml.YAMLSeq,
    before: unknown,
    after: unknown,
    schema: SchemaNode | undefined,
  ): boolean {
    const areAmended = this.edits.attempt(() =>
      matchedChildren(node, before, after)?.every(({ key, node, before, after }) =>
        this.amend(node, before, after, schema && childSchema(schema, key), true)
      ) ?? false
    );
    if (!areAmended) {
      this.edits.replace(node.range![0], node.range![1], printInline(after), "");
    }
    return true;
  }
}

interface Child {
  readonly key: PropertyKey;
  readonly node: unknown;
  readonly before: unknown;
  readonly after: unknown;
}

function matchedChildren(
  node: yaml.YAMLMap | yaml.YAMLSeq,
  before: unknown,
  after: unknown,
): Child[] | undefined {
  if (yaml.isSeq(node)) {
    if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return;
    return node.items.map((item, i) => ({
      key: i,
      node: item,
      before: before[i],
      after: after[i],
    }));
  }
  if (!isMap(before) || !isMap(after)) return undefined;
  const children = node.items.map(({ key, value }) => {
    const name = String((key as yaml.Scalar).value);
    return { key: name, node: value, before: before[name], after: ownMember(after, name) };
  });
  const keys = Object.keys(after).filter((key) => after[key] !== undefined);
  const isMatched = keys.length === children.length &&
    children.every((child) => child.after !== undefined);
  return isMatched ? children : undefined;
}

/** Collects edits to YAML text that change the values of nodes in the syntax tree of the text. */
interface Amendment {
  readonly edits: TextEdits;
  /**
   * Edits the text of `node`. Returns false if it cannot: the caller must then rewrite its entry or
   * item. `inFlow` is true within braces or brackets.
   */
  amend(
    node: unknown,
    before: unknown,
    after: unknown,
    schema: SchemaNode | undefined,
    inFlow?: boolean,
  ): boolean;
}

/** An entry of a map in YAML text. */
interface Entry {
  readonly pair: Pair;
  readonly key: string;
  /** Offset of the entry's key. */
  readonly start: number;
}

/** Edits a map in block style. Returns false if the whole map must be rewritten instead. */
function amendMap(
  { edits, amend }: Amendment,
  node: YAMLMap,
  before: Readonly<Record<string, unknown>>,
  after: Record<string, unknown>,
  schema: SchemaNode | undefined,
): boolean {
  const entries = node.items.map(toEntry);
  const first = entries.findIndex(({ key }) => ownMember(after, key) !== undefined);
  if (first < 0 || entries.some(({ key }) => !Object.hasOwn(before, key))) return false;
  const indent = edits.indentOf(entries[0].start);
  // Entries in front of the first one that remains share their line with the dash of a list item.
  const shared = edits.startsLine(entries[0].start) ? 0 : first;
  if (shared > 0) edits.replace(entries[0].start, entries[first].start, "", "");
  entries.slice(shared).forEach(({ pair, key, start }) => {
    const value = ownMember(after, key);
    const end = edits.contentEnd(pair);
    if (value === undefined) edits.removeLines(start, end);
    else if (!amend(pair.value, before[key], value, schema && childSchema(schema, key))) {
      edits.replace(start, end, printEntries({ [key]: value }, schema), indent);
    }
  });
  let above: Entry | undefined;
  for (const key of orderedKeys(after, schema)) {
    const entry = entries.find((one) => one.key === key);
    if (entry !== undefined) {
      above = entry;
      continue;
    }
    const lines = printEntries({ [key]: after[key] }, schema);
    if (above === undefined) edits.insertAbove(entries[first].start, lines, indent);
    else edits.insertBelow(edits.contentEnd(above.pair), lines, indent);
  }
  return true;
}

function toEntry(pair: Pair): Entry {
  const key = pair.key as Scalar;
  return { pair, key: String(key.value), start: key.range![0] };
}

/**
 * An item in both versions keeps its comments, wherever it moves. Returns false if the list must be
 * rewritten instead.
 */
function amendList(
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

  /** Undefined if the dash does not start its line. */
  function dashOffset(i: number): number | undefined {
    const item = node.items[i];
    if (!isNode(item)) return undefined;
    const dash = edits.text.lastIndexOf("-", item.range![0] - 1);
    return edits.startsLine(dash) ? dash : undefined;
  }
}

/** Pairs versions of an item, in order; never choices with different names and steps. */
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
