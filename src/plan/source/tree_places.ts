import * as yaml from "yaml";
import type { Path } from "../rules/diagnostic.ts";
import { parseTree } from "./parse_tree.ts";
import type { SourceMap } from "./source_map.ts";

/**
 * Parses YAML text into a syntax tree that is used only for offsets and syntax errors. The values
 * come from `parseYaml`. If `uniqueKeys` is false, repeated keys are not errors, which avoids a
 * search that takes quadratic time. Throws a `RangeError` if the text is nested too deeply.
 */
export function mapTree(text: string, uniqueKeys: boolean): SourceMap {
  const document = parseTree(text, uniqueKeys);
  return {
    faults: document.errors.map(({ code, message, pos }) => ({ code, message, offset: pos[0] })),
    find: (path, atKey, within) => find(text, document, path, atKey, within),
  };
}

function find(
  text: string,
  document: yaml.Document,
  path: Path,
  atKey: boolean | undefined,
  within: number | undefined,
): number {
  let node: unknown = document.contents;
  let key: unknown = node;
  for (const part of path) {
    const below = childNode(document, node, part);
    if (below === undefined) return start(key);
    [key, node] = below;
  }
  if (atKey || !yaml.isScalar(node)) return start(key);
  return start(node) + (within === undefined ? 0 : shift(text, node, within));
}

type Pair = readonly [key: unknown, value: unknown];

/**
 * Returns the nodes of the key and the value under `part`. For a list item, both are the node of
 * the item.
 */
function childNode(
  document: yaml.Document,
  parent: unknown,
  part: string | number,
): Pair | undefined {
  const node = yaml.isAlias(parent) ? parent.resolve(document) : parent;
  if (yaml.isSeq(node)) {
    const item = node.items[Number(part)];
    return item === undefined ? undefined : [item, item];
  }
  if (!yaml.isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => String(yaml.isScalar(key) ? key.value : key) === part);
  return pair && [pair.key, pair.value];
}

function start(node: unknown): number {
  return yaml.isNode(node) ? node.range?.[0] ?? 0 : 0;
}

/**
 * Converts an offset in the value of a scalar to an offset in its source text. Returns 0 if the
 * source text does not contain the value verbatim, for example because it contains escape
 * sequences.
 */
function shift(text: string, node: yaml.Scalar, within: number): number {
  const source = text.slice(node.range![0], node.range![1]);
  const position = source.indexOf(String(node.value));
  return position < 0 ? 0 : position + within;
}
