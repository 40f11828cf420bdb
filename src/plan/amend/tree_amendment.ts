import * as yaml from "yaml";
import { isMap } from "../../base/exact_number.ts";
import { printInline } from "../print.ts";
import { yamlText } from "../source/scalar.ts";
import { branchFor, childSchema, type SchemaNode } from "../values/schema_walk.ts";
import type { Amendment } from "./amendment.ts";
import { amendList } from "./list_edits.ts";
import { amendMap } from "./map_edits.ts";
import { isSameValue, ownMember } from "../compare/same_value.ts";
import { TextEdits } from "./text_edits.ts";

/** Amends YAML text. Uses the syntax tree of the text to locate the parts to edit. */
export class TreeAmendment implements Amendment {
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

  /**
   * Edits a list or map in flow style. Rewrites the whole list or map if its keys or the number of
   * its items change.
   */
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

/**
 * Returns the members of a list or map, each with its values before and after the change. Returns
 * undefined if the change adds or removes members.
 */
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
