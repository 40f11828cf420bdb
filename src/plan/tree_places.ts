import process from "node:process";
import * as yaml from "yaml";
import type { Path } from "./diagnostic.ts";
import type { SourceMap } from "./source_map.ts";

/**
 * Reads a text for its places and faults; values come from elsewhere. Repeated keys are faults unless
 * `uniqueKeys` is false: to look for them takes quadratic time. Throws `RangeError` on endless nesting.
 */
export function mapTree(text: string, uniqueKeys: boolean): SourceMap {
  const options = { logLevel: "error", prettyErrors: false, uniqueKeys } as const;
  const document = withoutEnvironment(() => yaml.parseDocument(text, options));
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

/** The key (an item's is the item itself) and the value of what stands under `part`. */
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

/** How far into a scalar's source a place in its value stands; 0 where escapes hide it. */
function shift(text: string, node: yaml.Scalar, within: number): number {
  const source = text.slice(node.range![0], node.range![1]);
  const opening = source.indexOf(String(node.value));
  return opening < 0 ? 0 : opening + within;
}

/** `yaml` looks for its debugging switches in the environment, which takes a permission. */
function withoutEnvironment<Result>(work: () => Result): Result {
  const { env } = process;
  process.env = {};
  try {
    return work();
  } finally {
    process.env = env;
  }
}
