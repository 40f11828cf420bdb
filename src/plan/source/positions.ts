import * as yaml from "yaml";
import type { DiagnosticCode, LineIndex, LocatedDiagnostic, Path } from "../rules/diagnostic.ts";
import { MAX_DEPTH, parseTree, quoted } from "./parse_tree.ts";

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

/** Maximum number of syntax errors to report. */
const MAX_FAULTS = 20;

/**
 * Returns diagnostics for at most 20 syntax errors in YAML text, sorted by line. Reports several
 * errors of the same kind only once, at the first position, because the others usually follow from
 * the same mistake. Repeated keys are separate mistakes, so they are reported once per line.
 */
export function describeFaults(
  map: SourceMap | undefined,
  lines: LineIndex,
  text: string,
): LocatedDiagnostic[] {
  const faults = new Map<string, LocatedDiagnostic>();
  const found = [...map?.faults ?? []].sort((a, b) => a.offset - b.offset);
  let badIndentAt = -1;
  for (const fault of found) {
    if (fault.code === "BLOCK_AS_IMPLICIT_KEY") badIndentAt = fault.offset;
    // The `yaml` package reports a key with bad indentation again because its value spans lines.
    else if (fault.code === "MULTILINE_IMPLICIT_KEY" && badIndentAt >= 0) continue;
    const { offset, ...described } = describeSyntax(fault, text);
    const place = lines.place(offset);
    // Each repeated key is a separate mistake.
    const key = "code" in described ? `${place.line}` : described.message;
    const base = { code: "yaml-syntax", severity: "error", path: [] } as const;
    faults.getOrInsert(key, { ...base, ...described, ...place });
  }
  return [...faults.values()].sort((a, b) => a.line - b.line).slice(0, MAX_FAULTS);
}

interface SyntaxDescription {
  /** Code of the diagnostic (default: `yaml-syntax`). */
  readonly code?: DiagnosticCode;
  readonly message: string;
  readonly hint?: string;
  readonly offset: number;
}

function describeSyntax({ code, message, offset }: YamlFault, text: string): SyntaxDescription {
  const indent =
    "use spaces, and the same indentation for all keys of a map and all items of a list";
  switch (code) {
    case "TAB_AS_INDENT":
      return { message: "a tab in the indentation", hint: "indent with spaces", offset };
    case "BLOCK_AS_IMPLICIT_KEY": {
      const lineEnd = text.indexOf("\n", offset) < 0 ? text.length : text.indexOf("\n", offset);
      if (/\S: |\S:$/.test(text.slice(offset, lineEnd).trimEnd())) {
        return {
          message: "the text contains `: `, which starts a map",
          hint: "put the text in quotes",
          offset,
        };
      }
      const next = lineEnd + 1 + text.slice(lineEnd + 1).search(/\S|$/);
      return { message: "invalid indentation", hint: indent, offset: next };
    }
    case "MULTILINE_IMPLICIT_KEY":
      return { message: "a key without a colon", hint: "write `key: value`", offset };
    case "MISSING_CHAR":
      return /quote/.test(message)
        ? { message: "a quote is not closed", offset }
        : { message: "a key without a value", hint: "write `key: value`", offset };
    case "BAD_INDENT":
      return /end with a [\]}]/.test(message)
        ? { message: `a bracket is not closed: expected \`${message.at(-1)}\``, offset }
        : { message: "invalid indentation", hint: indent, offset };
    case "BAD_SCALAR_START":
      return {
        message: `text cannot start with \`${text[offset]}\``,
        hint: "put it in quotes",
        offset,
      };
    case "UNEXPECTED_TOKEN":
      return {
        message: "unexpected text after a value",
        hint: "quote the whole value, or fix the indentation",
        offset,
      };
    case "DUPLICATE_KEY":
      return { code: "duplicate-key", message: "the map already has this key", offset };
    case "MULTIPLE_DOCS":
      return {
        code: "multiple-documents",
        message: "expected one document, found a second",
        offset,
      };
    default:
      return { message, offset };
  }
}

/**
 * Converts an error from `parseYaml` to a diagnostic. Used for errors that `describeFaults` does
 * not describe.
 */
export function unexplained(error: Error, lines: LineIndex): LocatedDiagnostic {
  const [, reason, line = "1", column = "1"] = /^([^]*?)(?: at line (\d+), column (\d+)[^]*)?$/
    .exec(
      error.message,
    )!;
  const deep = error instanceof RangeError;
  return {
    code: deep ? "too-deep" : /duplicated key/.test(reason) ? "duplicate-key" : "yaml-syntax",
    severity: "error",
    path: [],
    message: deep ? `nested too deeply: expected at most ${MAX_DEPTH} levels` : reason,
    ...lines.place(lines.offset(Number(line), Number(column))),
  };
}
