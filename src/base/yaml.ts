import { parse } from "@std/yaml";
import { ExactNumber, isJsonNumber, writtenNumber } from "./exact_number.ts";

/** Options for parsing YAML. */
export interface YamlOptions {
  /**
   * If true, the last of several duplicate keys in a map wins. Otherwise, a duplicate key is an
   * error.
   */
  readonly allowDuplicateKeys?: boolean;
}

/** Matches every scalar that may be a number. */
const NUMBERS = /(?<=^|[\s[{,:])[-+]?\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?(?=$|[\s,\]}:])/g;
/** Explicit tags of scalars, which the failsafe schema rejects. */
const SCALAR_TAG = /!!(?:int|float|bool|null)(?=\s)/g;

/**
 * Parses a YAML 1.2 document. A number that a double would write differently, such as
 * 9007199254740993 or 1.10, is an `ExactNumber`. Throws an `Error` with the parser's message.
 */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  const value = parse(text, { ...options, schema: "core" });
  if (!mayLose(text)) return value;
  // The failsafe schema returns every scalar as text.
  const source = text.replace(SCALAR_TAG, (tag) => " ".repeat(tag.length));
  return exact(value, parse(source, { ...options, schema: "failsafe" }), new Map());
}

/** Prefilter: may return false positives, never false negatives. */
function mayLose(text: string): boolean {
  for (const [number] of text.matchAll(NUMBERS)) {
    if (writtenNumber(number) instanceof ExactNumber) return true;
  }
  return false;
}

/** Restores the numbers in `value` that `source`, of the same structure, writes differently. */
function exact(value: unknown, source: unknown, known: Map<unknown, unknown>): unknown {
  if (typeof value === "number") return typeof source === "string" ? number(value, source) : value;
  if (typeof value !== "object" || value === null || source === null) return value;
  if (known.has(value)) return known.get(value);
  known.set(value, value); // an alias may be nested in its own anchor
  if (Array.isArray(value)) {
    const items = source as unknown[];
    for (let i = 0; i < value.length; i++) value[i] = exact(value[i], items[i], known);
  } else exactMembers(value as Members, source as Members, known);
  return value;
}

type Members = Record<string, unknown>;

function exactMembers(map: Members, source: Members, known: Map<unknown, unknown>): void {
  let renamed = false;
  const members = Object.entries(source).flatMap(([written, inner]) => {
    const key = Object.hasOwn(map, written) ? written : String(parse(written, { schema: "core" }));
    if (!Object.hasOwn(map, key)) return [];
    const isNumber = key !== written && isJsonNumber(written);
    renamed ||= isNumber;
    return [[isNumber ? written : key, exact(map[key], inner, known)] as const];
  });
  if (members.length !== Object.keys(map).length) return;
  if (renamed) { for (const key of Object.keys(map)) delete map[key]; }
  for (const [key, value] of members) {
    Object.defineProperty(map, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

/** Returns the number that YAML writes as `source`, or `value` if a double is exact, as for `.inf`. */
function number(value: number, source: string): number | ExactNumber {
  const text = source.replace(/^\+|_/g, "");
  const written = isJsonNumber(text) ? writtenNumber(text) : value;
  return written instanceof ExactNumber ? written : value;
}
