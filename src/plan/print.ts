import * as z from "zod";
import { ExactNumber, isMap, PlainScalar } from "../base/exact_number.ts";
import { safeText, UNSAFE } from "../base/safe_text.ts";
import { branchFor, childSchema, type SchemaNode } from "./values/schema_walk.ts";
import { type Plan, plan as planSchema } from "./schema/plan.ts";

/** Deeper values are written in flow style to limit indentation. */
const BLOCK_LEVELS = 200;
/**
 * Maximum length of a key that is written on the same line as its value, in UTF-16 code units. YAML
 * allows at most 1,024 characters.
 */
const MAX_KEY_LENGTH = 1_000;
const BARE_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * Returns a plan as YAML in block style, preceded by the lines of `header` as comments. Keys appear
 * in schema order, but names that the plan defines, such as header names, keep their order. Keys
 * whose value is undefined are omitted. All YAML 1.1 and 1.2 parsers read the text back as the same
 * plan. The text contains no control characters, and equal plans produce equal text. Throws a
 * `RangeError` if JSON in the plan is nested thousands of levels deep, which `checkPlan` rejects.
 *
 * @example
 * ```ts
 * import { assert, assertEquals } from "@std/assert";
 * import { loadPlan } from "./load_plan.ts";
 * import { printPlan } from "./print.ts";
 * import type { Plan } from "./schema/plan.ts";
 *
 * const plan: Plan = {
 *   scenarios: {
 *     main: {
 *       executor: "per-vu-iterations",
 *       vus: 1,
 *       iterations: 1,
 *       flow: [{ request: { url: "https://shop.example/" } }],
 *     },
 *   },
 * };
 * const text = printPlan(plan, ["A smoke test"]);
 * assert(text.startsWith("# A smoke test\n\nscenarios:\n  main:\n"));
 * assertEquals((loadPlan(text)).plan, plan);
 * ```
 */
export function printPlan(plan: Plan, header: readonly string[]): string {
  const out: string[] = [];
  for (const line of header) out.push(line === "" ? "#\n" : `# ${safeText(line)}\n`);
  if (header.length > 0) out.push("\n");
  printMap(out, plan, planSchema, 0, "");
  return out.join("");
}

/** One below the other, without indentation and final newline. `schema` is that of the map. */
export function printEntries(
  map: Record<string, unknown>,
  schema: SchemaNode | undefined,
): string {
  const out: string[] = [];
  printMap(out, map, schema, 0, "");
  return out.join("").trimEnd();
}

/** Returns the items of a list as YAML in block style, in the same form as `printEntries`. */
export function printItems(list: readonly unknown[], schema: SchemaNode | undefined): string {
  const out: string[] = [];
  printList(out, list, schema, 0, "");
  return out.join("").trimEnd();
}

/** Returns a value as YAML in flow style, on one line. */
export function printInline(value: unknown): string {
  const out: string[] = [];
  printFlow(out, value);
  return out.join("");
}

function printMap(
  out: string[],
  map: Record<string, unknown>,
  schema: SchemaNode | undefined,
  level: number,
  start: string,
): void {
  const indent = "  ".repeat(level);
  let lead = start;
  for (const key of orderedKeys(map, schema)) {
    out.push(lead, keyText(key, indent));
    printValue(out, map[key], schema, key, level, `\n${indent}  `);
    lead = indent;
  }
}

function printList(
  out: string[],
  list: readonly unknown[],
  schema: SchemaNode | undefined,
  level: number,
  start: string,
): void {
  const indent = "  ".repeat(level);
  for (let i = 0; i < list.length; i++) {
    out.push(i === 0 ? start : indent, "-");
    printValue(out, list[i], schema, i, level, " ");
  }
}

/**
 * Appends a value that follows a colon or a dash, and a newline. `schema` is that of the container;
 * `start` precedes a value in block style.
 */
function printValue(
  out: string[],
  value: unknown,
  schema: SchemaNode | undefined,
  key: PropertyKey,
  level: number,
  start: string,
): void {
  if (typeof value === "string" || !isFilled(value) || level >= BLOCK_LEVELS) {
    out.push(" ");
    if (typeof value === "string") out.push(yamlText(value));
    else printFlow(out, value);
    out.push("\n");
    return;
  }
  const child = schema && childSchema(schema, key);
  const branch = child && branchFor(child, value);
  if (Array.isArray(value)) printList(out, value, branch, level + 1, start);
  else printMap(out, value as Record<string, unknown>, branch, level + 1, start);
}

function printFlow(out: string[], value: unknown): void {
  if (Array.isArray(value)) {
    out.push("[");
    value.forEach((item, i) => {
      if (i > 0) out.push(", ");
      printFlow(out, item);
    });
    out.push("]");
  } else if (isMap(value)) {
    out.push("{");
    orderedKeys(value, undefined).forEach((key, i) => {
      out.push(`${i > 0 ? ", " : ""}${quoted(key)}: `);
      printFlow(out, value[key]);
    });
    out.push("}");
  } else {
    out.push(scalarText(value));
  }
}

function scalarText(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof PlainScalar) return value.written;
  if (typeof value === "number") return yamlNumber(value);
  return typeof value === "boolean" ? String(value) : "null";
}

function keyText(key: string, indent: string): string {
  const text = BARE_KEY.test(key) ? yamlText(key) : quoted(key);
  return text.length > MAX_KEY_LENGTH ? `? ${text}\n${indent}:` : `${text}:`;
}

/**
 * Returns the keys of a map, except those whose value is undefined. Keys of the schema come first,
 * in schema order.
 */
export function orderedKeys(
  map: Record<string, unknown>,
  schema: SchemaNode | undefined,
): readonly string[] {
  const keys: string[] = [];
  if (schema instanceof z.ZodObject) {
    const { shape } = schema;
    for (const key of Object.keys(shape)) {
      if (Object.hasOwn(map, key) && map[key] !== undefined) keys.push(key);
    }
    for (const key of Object.keys(map)) {
      if (map[key] !== undefined && !Object.hasOwn(shape, key)) keys.push(key);
    }
    return keys;
  }
  for (const key of Object.keys(map)) if (map[key] !== undefined) keys.push(key);
  return keys;
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!isMap(value)) return false;
  for (const key in value) if (Object.hasOwn(value, key) && value[key] !== undefined) return true;
  return false;
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

/** Plain if all YAML parsers read it as the same text, otherwise in double quotes. */
export function yamlText(text: string): string {
  const bare = text.length <= 1_000 && (PLAIN.test(text) && !WORD.test(text) ||
    PLAIN_DURATION.test(text));
  return bare ? text : quoted(text);
}

/** Escapes control characters and what some YAML parsers do not accept. */
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
function yamlNumber(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  if (Object.is(value, -0)) return "-0.0";
  // YAML 1.1 reads `1e+21` as text, because it requires a decimal point before an exponent.
  return String(value).replace(/^(-?\d+)e/, "$1.0e");
}
