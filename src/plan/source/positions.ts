import * as yaml from "yaml";
import type { Path } from "../rules/diagnostic.ts";
import { parseTree, quoted } from "./parse_tree.ts";

/** A syntax error in YAML text. */
export interface YamlFault {
  /** Error code of the `yaml` package, such as `DUPLICATE_KEY`. */
  readonly code: string;
  readonly message: string;
  /** Zero-based offset of the error in the text, in UTF-16 code units. */
  readonly offset: number;
}

/** Finds the values of a plan in its YAML text. Offsets are zero-based, in UTF-16 code units. */
export interface SourceMap {
  readonly faults: readonly YamlFault[];
  /**
   * Returns the offset at which to report a diagnostic. For a scalar at `path`, this is the start
   * of the value plus `within`. For a map or a list, or if `atKey` is true, this is the start of
   * the key. If the plan has no value at `path`, this is the start of the nearest enclosing entry.
   */
  find(path: Path, atKey?: boolean, within?: number): number;
}

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

/**
 * Finds the offsets of values in block YAML line by line, for text that is too large for a syntax
 * tree. Supports the style that `printPlan` writes. For a value that it cannot find, such as one in
 * flow style, it returns the offset of the nearest enclosing entry.
 */
export class BlockPlaces implements SourceMap {
  /** Always empty, because this class does not search for syntax errors. */
  readonly faults: readonly YamlFault[] = [];
  readonly #text: string;
  /** Offsets of the keys or dashes in each map or list, keyed by the offset of the map or list. */
  readonly #entries = new Map<number, readonly number[]>();

  constructor(text: string) {
    this.#text = text;
  }

  find(path: Path, atKey?: boolean): number {
    let node: number | undefined = this.#content(0);
    let [key, scalar]: [number, number | undefined] = [node, undefined];
    for (const part of path) {
      const entry: number | undefined = node === undefined ? undefined : this.#entry(node, part);
      if (entry === undefined) return key;
      const after: number = this.#afterKey(entry, part)!;
      const content = this.#content(after);
      const isInline = !this.#text.slice(after, content).includes("\n");
      const hasValue: boolean = content < this.#text.length &&
        (isInline || this.#isWithin(entry, content));
      node = hasValue ? content : undefined;
      const isScalar = !hasValue || isInline && !/[[{]/.test(this.#text[content]);
      // A value that is missing is a scalar at the end of the line.
      const start = hasValue ? content : this.#skipSpaces(after);
      scalar = isScalar ? start : undefined;
      if (typeof part === "number") key = start;
      else key = this.#text.startsWith("? ", entry) ? entry + 2 : entry;
    }
    return atKey ? key : scalar ?? key;
  }

  /**
   * Reports whether the content at offset `content`, on a later line than `entry`, is the value of
   * `entry`. It is the value if it is indented more than `entry`, or if it is a list and `entry` is
   * a key.
   */
  #isWithin(entry: number, content: number): boolean {
    const [outer, inner] = [this.#column(entry), this.#column(content)];
    return inner > outer || inner === outer && this.#isDash(content) && !this.#isDash(entry);
  }

  #entry(node: number, part: string | number): number | undefined {
    const entries = this.#entriesOf(node);
    if (typeof part !== "number") return entries.find((at) => this.#afterKey(at, part));
    return this.#isDash(node) ? entries[part] : undefined;
  }

  /**
   * Returns the offsets of the entries of the map or list at `node`. The first entry is at `node`.
   * Each subsequent entry is at the start of a later line with the same indentation.
   */
  #entriesOf(node: number): readonly number[] {
    const known = this.#entries.get(node);
    if (known) return known;
    const column = this.#column(node);
    const isList = this.#isDash(node);
    const entries = [node];
    for (let at = this.#nextLine(node); at < this.#text.length; at = this.#nextLine(at)) {
      const content = this.#skipSpaces(at);
      if (content - at > column || this.#isEmpty(content)) continue;
      if (content - at < column) break;
      // A list under a key may have the indentation of the key. A list ends at the next key.
      if (this.#isDash(content) !== isList) {
        if (isList) break;
        continue;
      }
      // The value of an explicit key (`: …`) belongs to the previous entry.
      if (this.#text[content] !== ":") entries.push(content);
    }
    this.#entries.set(node, entries);
    return entries;
  }

  /**
   * Returns the offset after the dash or the colon of `entry`. Returns undefined if the key of the
   * entry is not `part`.
   */
  #afterKey(entry: number, part: string | number): number | undefined {
    if (typeof part === "number") return entry + 1;
    for (const key of [part, quoted(part)]) {
      const end = entry + key.length + 1;
      if (this.#text.startsWith(`${key}:`, entry) && /^\s?$/.test(this.#text.charAt(end))) {
        return end;
      }
    }
    const explicit = `? ${quoted(part)}\n`;
    if (!this.#text.startsWith(explicit, entry)) return undefined;
    return this.#text.indexOf(":", entry + explicit.length) + 1;
  }

  /**
   * Returns the offset of the first content at or after `from`. Skips spaces, empty lines and
   * comments.
   */
  #content(from: number): number {
    let at = this.#skipSpaces(from);
    while (at < this.#text.length && this.#isEmpty(at)) at = this.#skipSpaces(this.#nextLine(at));
    return at;
  }

  #column(at: number): number {
    return at - this.#text.lastIndexOf("\n", at - 1) - 1;
  }

  #isDash(at: number): boolean {
    return this.#text[at] === "-" && /^\s?$/.test(this.#text.charAt(at + 1));
  }

  #isEmpty(content: number): boolean {
    const character = this.#text[content];
    return character === "\n" || character === "\r" || character === "#";
  }

  #skipSpaces(at: number): number {
    while (this.#text[at] === " ") at++;
    return at;
  }

  #nextLine(at: number): number {
    const end = this.#text.indexOf("\n", at);
    return end < 0 ? this.#text.length : end + 1;
  }
}
