import process from "node:process";
import * as yaml from "yaml";
import type { Path } from "./diagnostic.ts";

/** A place in a text: line and column (UTF-16 units) count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Something that keeps a text from being YAML. */
export interface YamlFault extends TextPlace {
  /** As the `yaml` package names it, such as `DUPLICATE_KEY`. */
  readonly code: string;
  readonly message: string;
}

/** A YAML text in which paths have places. */
export interface SourceMap {
  readonly faults: readonly YamlFault[];
  /**
   * Where a path stands: its value or, on request, its key. Of what is not there, the place of the
   * nearest thing around it.
   */
  place(path: Path, atKey?: boolean, within?: number): TextPlace;
}

/** Reads a text for its places; values come from elsewhere. Throws `RangeError` on endless nesting. */
export function mapSource(text: string): SourceMap {
  const lines = new yaml.LineCounter();
  const options = { lineCounter: lines, logLevel: "silent", prettyErrors: false } as const;
  const document = withoutEnvironment(() => yaml.parseDocument(text, options));
  const at = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  return {
    faults: document.errors.map(({ code, message, pos }) => ({ code, message, ...at(pos[0]) })),
    place: (path, atKey, within) => at(find(text, document, path, atKey, within)),
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
    const below = childOf(document, node, part);
    if (below === undefined) return start(key);
    [key, node] = below;
  }
  if (atKey || !yaml.isScalar(node)) return start(key);
  return start(node) + (within === undefined ? 0 : shift(text, node, within));
}

/** The key (an item's is the item itself) and the value of what stands under `part`. */
function childOf(
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

type Pair = readonly [key: unknown, value: unknown];

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
