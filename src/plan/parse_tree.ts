import process from "node:process";
import * as yaml from "yaml";
import { firstBadByte, utf8Text, wideEncoding } from "../base/string_escapes.ts";
import {
  type Diagnostic,
  type DiagnosticCode,
  LineIndex,
  type LocatedDiagnostic,
  type Path,
} from "./rules/diagnostic.ts";

/**
 * Parses YAML text into a syntax tree. If `uniqueKeys` is false, repeated keys are not errors.
 * Throws a `RangeError` if the text is nested too deeply.
 */
export function parseTree(text: string, uniqueKeys: boolean): yaml.Document {
  const options = { logLevel: "error", prettyErrors: false, uniqueKeys } as const;
  return withoutEnvironment(() => yaml.parseDocument(text, options));
}

/**
 * Runs `action` with an empty environment. The `yaml` package reads debugging switches from the
 * environment, which would require a permission.
 */
function withoutEnvironment<Result>(action: () => Result): Result {
  const { env } = process;
  process.env = {};
  try {
    return action();
  } finally {
    process.env = env;
  }
}

/** Removes the byte order mark. Returns a diagnostic if the bytes are not valid UTF-8. */
export function decodePlan(bytes: Uint8Array): string | LocatedDiagnostic {
  const wide = wideEncoding(bytes);
  if (wide) return encodingError(`the text is ${wide}: expected UTF-8`, 0, bytes);
  return utf8Text(bytes)?.replace(/^\ufeff/, "") ??
    encodingError("the text is not UTF-8", firstBadByte(bytes), bytes);
}

function encodingError(message: string, offset: number, bytes: Uint8Array): LocatedDiagnostic {
  const before = new TextDecoder().decode(bytes.subarray(0, offset));
  const place = new LineIndex(before).place(before.length);
  const hint = "save the file as UTF-8";
  return { code: "bad-encoding", severity: "error", path: [], message, hint, ...place };
}

/** All code that processes plans supports this depth without overflowing the stack. */
export const MAX_DEPTH = 500;

/**
 * Returns the path to the first map or list that is nested more than `levels` deep, or undefined if
 * there is no such map or list. A value that contains itself counts as too deep.
 */
export function tooDeep(value: unknown, levels = MAX_DEPTH): Path | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return [];
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const path = tooDeep(value[i], levels - 1);
      if (path) return [i, ...path];
    }
    return undefined;
  }
  const map = value as Record<string, unknown>;
  for (const key in map) {
    // Most members are strings.
    if (typeof map[key] !== "object" || !Object.hasOwn(map, key)) continue;
    const path = tooDeep(map[key], levels - 1);
    if (path) return [key, ...path];
  }
  return undefined;
}

/**
 * Text that may be an alias (`*name`). Most plans have none, so their values need not be counted.
 */
const ALIAS = /(?:^|[\s[{,])\*[^\s*/,]/m;
/** Maximum number of values in a plan, counting the values of an alias each time it is used. */
const MAX_VALUES = 1_000_000;

/** Aliases that form a cycle or expand to too many values. */
export function aliasFault(text: string, value: unknown): Diagnostic | undefined {
  if (!ALIAS.test(text)) return undefined;
  const size = expandedSize(value, new Map());
  if (size <= MAX_VALUES) return undefined;
  const message = size === Infinity
    ? "an alias refers to a value that contains it"
    : `the aliases of the plan expand to more than ${MAX_VALUES} values`;
  return { code: "alias-bomb", severity: "error", path: [], message };
}

/**
 * Counts the values of an alias each time it is used; `Infinity` for a cycle. `known` is a cache.
 */
function expandedSize(value: unknown, known: Map<object, number>): number {
  if (typeof value !== "object" || value === null) return 1;
  const size = known.get(value);
  if (size !== undefined) return size;
  known.set(value, Infinity);
  let sum = 1;
  for (const item of Object.values(value)) sum += expandedSize(item, known);
  known.set(value, sum);
  return sum;
}

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
   * Where to report a diagnostic: at a scalar plus `within`, at the key of a map, of a list or with
   * `atKey`, or at the nearest enclosing entry.
   */
  find(path: Path, atKey?: boolean, within?: number): number;
}

/**
 * Used only for offsets and syntax errors; values come from `parseYaml`. Without `uniqueKeys`,
 * avoids a search that takes quadratic time. Throws a `RangeError` if nested too deeply.
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
 * From an offset in a scalar's value to one in its source. 0 if the source has it not verbatim, as
 * with escape sequences.
 */
function shift(text: string, node: yaml.Scalar, within: number): number {
  const source = text.slice(node.range![0], node.range![1]);
  const position = source.indexOf(String(node.value));
  return position < 0 ? 0 : position + within;
}

/** Maximum number of syntax errors to report. */
const MAX_FAULTS = 20;

/**
 * At most 20 syntax errors, by line. One of each kind, because the others usually follow from it,
 * but each repeated key.
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
