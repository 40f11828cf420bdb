import { z } from "zod";
import { ExactNumber } from "../base/exact_number.ts";
import { safeText } from "../base/safe_text.ts";
import { quoted, yamlNumber, yamlText } from "./scalar.ts";
import { branchFor, childSchema, isMap, type SchemaNode } from "./schema/branch.ts";
import { type Plan, plan as planSchema } from "./schema/plan.ts";

/** Below this many levels, indentation would outweigh what is indented: flow style from there. */
const BLOCK_LEVELS = 200;
/** YAML lets a key stand before its colon only up to 1,024 characters. */
const LONGEST_KEY = 1_000;
const INDENTS = Array.from({ length: BLOCK_LEVELS + 2 }, (_, level) => "  ".repeat(level));
const BARE_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * A plan as YAML: block style, keys in the schema's order (names that the plan gives, such as
 * headers, keep theirs), keys whose value is undefined left out. `header` opens it as comment
 * lines. The text reads back as the plan in every reader of YAML 1.1 and 1.2, and holds no
 * character that could move a terminal. Equal plans give equal text. Throws `RangeError` for JSON
 * that nests thousands of levels deep, which `checkPlan` refuses.
 */
export function printPlan(plan: Plan, header: readonly string[]): string {
  const out = header.map((line) => line === "" ? "#\n" : `# ${safeText(line)}\n`);
  if (header.length > 0) out.push("\n");
  printMap(out, plan, planSchema, 0, "");
  return out.join("");
}

/** One map; `start` opens its first line (the others are indented). */
function printMap(
  out: string[],
  map: Record<string, unknown>,
  schema: SchemaNode | undefined,
  level: number,
  start: string,
): void {
  const indent = INDENTS[level];
  let lead = start;
  for (const key of orderedKeys(map, schema)) {
    out.push(lead, keyText(key, indent));
    printValue(out, map[key], schema && childSchema(schema, key), level, "\n" + INDENTS[level + 1]);
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
  const indent = INDENTS[level];
  list.forEach((item, i) => {
    out.push(i === 0 ? start : indent, "-");
    printValue(out, item, schema && childSchema(schema, i), level, " ");
  });
}

/** What follows a key's colon or an item's dash; `start` is what leads to a block below it. */
function printValue(
  out: string[],
  value: unknown,
  schema: SchemaNode | undefined,
  level: number,
  start: string,
): void {
  if (!isFilled(value) || level >= BLOCK_LEVELS) {
    out.push(" ");
    if (typeof value === "string") out.push(yamlText(value));
    else printFlow(out, value);
    out.push("\n");
    return;
  }
  const branch = schema && branchFor(schema, value);
  if (Array.isArray(value)) printList(out, value, branch, level + 1, start);
  else printMap(out, value as Record<string, unknown>, branch, level + 1, start);
}

/** JSON, which is YAML: what is empty, scalar or deep. */
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
      out.push(i > 0 ? ", " : "", quoted(key), ": ");
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
  if (typeof value === "number") return yamlNumber(value);
  return typeof value === "boolean" ? String(value) : "null";
}

function keyText(key: string, indent: string): string {
  const text = BARE_KEY.test(key) ? yamlText(key) : quoted(key);
  return text.length <= LONGEST_KEY ? `${text}:` : `? ${text}\n${indent}:`;
}

/** The keys that have a value: the schema's in its order, then the others as they come. */
function orderedKeys(map: Record<string, unknown>, schema: SchemaNode | undefined): string[] {
  const own = Object.keys(map).filter((key) => map[key] !== undefined);
  if (!(schema instanceof z.ZodObject)) return own;
  const shape = schema.shape;
  const known = Object.keys(shape).filter((key) =>
    Object.hasOwn(map, key) && map[key] !== undefined
  );
  return [...known, ...own.filter((key) => !Object.hasOwn(shape, key))];
}

/** True of a map or list that holds something. */
function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) && Object.values(value).some((item) => item !== undefined);
}
