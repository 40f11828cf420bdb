import process from "node:process";
import { type Document, parseDocument } from "yaml";
import { UNSAFE } from "../../base/safe_text.ts";
import { firstBadByte, utf8Text, wideEncoding } from "../../base/string_escapes.ts";
import {
  type Diagnostic,
  LineIndex,
  type LocatedDiagnostic,
  type Path,
} from "../rules/diagnostic.ts";

/**
 * Parses YAML text into a syntax tree. If `uniqueKeys` is false, repeated keys are not errors.
 * Throws a `RangeError` if the text is nested too deeply.
 */
export function parseTree(text: string, uniqueKeys: boolean): Document {
  const options = { logLevel: "error", prettyErrors: false, uniqueKeys } as const;
  return withoutEnvironment(() => parseDocument(text, options));
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

/**
 * Decodes a plan from UTF-8 and removes the byte order mark, if any. Returns a diagnostic if the
 * bytes are not valid UTF-8.
 */
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

// Matches text that every YAML 1.1 and 1.2 parser reads unchanged without quotes in block style.
const PLAIN = /^[A-Za-z/$](?:[\w./${}()[\]=?&%+,;@~*!<>|^'-]|:(?=[\w/])| (?=[\w./$(<>=+]))*$/;
// YAML 1.1 parsers read text such as `e1` as a number without leading digits.
const WORD =
  /^(?:y|n|yes|no|on|off|true|false|null|nil|none|nan|inf|infinity|undefined|e[-+]?\d+)$/i;
const PLAIN_DURATION = /^(?:[1-9]\d*|0)(?:ms|s|m|h)$/;
const PLAIN_ASCII = /^[ !#-[\]-~]*$/;
const ASCII = /^[\0-\x7f]*$/;
// deno-lint-ignore no-control-regex
const ESCAPED_ASCII = /["\\\0-\x1f\x7f]/g;
const ESCAPED = new RegExp(`["\\\\]|${UNSAFE.source}`, "gu");
const SHORT: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\0": "\\0",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\x1b": "\\e",
};

/**
 * Formats text as a YAML scalar. Uses plain style if all YAML parsers read it as the same text,
 * otherwise double quotes.
 */
export function yamlText(text: string): string {
  const bare = text.length <= 1_000 && (PLAIN.test(text) && !WORD.test(text) ||
    PLAIN_DURATION.test(text));
  return bare ? text : quoted(text);
}

/**
 * Returns text in double quotes. Escapes control characters and characters that some YAML parsers
 * do not accept.
 */
export function quoted(text: string): string {
  if (PLAIN_ASCII.test(text)) return `"${text}"`;
  // Matching Unicode properties is slow, and ASCII text does not need it.
  return `"${text.replace(ASCII.test(text) ? ESCAPED_ASCII : ESCAPED, escape)}"`;
}

function escape(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (character in SHORT) return SHORT[character];
  if (code <= 0xff) return "\\x" + hex.padStart(2, "0");
  return code <= 0xffff ? "\\u" + hex.padStart(4, "0") : "\\U" + hex.padStart(8, "0");
}

/** Formats a number so that YAML 1.1 and 1.2 parsers read it as the same number. */
export function yamlNumber(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  if (Object.is(value, -0)) return "-0.0";
  // YAML 1.1 reads `1e+21` as text, because it requires a decimal point before an exponent.
  return String(value).replace(/^(-?\d+)e/, "$1.0e");
}

/**
 * Maximum nesting depth of maps and lists in a plan. All code that processes plans supports this
 * depth without overflowing the stack.
 */
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
 * Matches text that may be an alias (`*name`). Most plans have no match, so their values need not
 * be counted.
 */
const ALIAS = /(?:^|[\s[{,])\*[^\s*/,]/m;
/** Maximum number of values in a plan, counting the values of an alias each time it is used. */
const MAX_VALUES = 1_000_000;

/**
 * Returns a diagnostic if the aliases in a plan form a cycle or expand to too many values,
 * otherwise undefined.
 */
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
 * Returns the number of values in `value`, counting those of an alias each time it is used. Returns
 * `Infinity` if a value contains itself. `known` caches the number for each map and list.
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
