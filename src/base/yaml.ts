import { parse } from "@std/yaml";
import { ExactNumber, isJsonNumber, writtenNumber } from "./exact_number.ts";

/** Options for parsing YAML. */
export interface YamlOptions {
  /**
   * True to use the last value if a map contains the same key several times. If false (the
   * default), a duplicate key is an error.
   */
  readonly allowDuplicateKeys?: boolean;
}

/** Matches every scalar that may be a number. */
const NUMBERS = /(?<=^|[\s[{,:])[-+]?\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?(?=$|[\s,\]}:])/g;
/** Matches explicit scalar tags, which the failsafe schema does not accept. */
const SCALAR_TAG = /!!(?:int|float|bool|null)(?=\s)/g;

/**
 * Parses a YAML 1.2 document. A number that JavaScript would print differently, such as
 * 9007199254740993 or 1.10, becomes an `ExactNumber`. Throws an `Error` with the parser's message
 * if the text is invalid.
 */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  const value = parse(text, { ...options, schema: "core" });
  if (!mayLose(text)) return value;
  // The failsafe schema returns every scalar as text.
  const source = text.replace(SCALAR_TAG, (tag) => " ".repeat(tag.length));
  return exact(value, parse(source, { ...options, schema: "failsafe" }), new Map());
}

/**
 * Prefilter: reports whether the text may contain a number that needs an `ExactNumber`. May return
 * false positives, never false negatives.
 */
function mayLose(text: string): boolean {
  for (const [number] of text.matchAll(NUMBERS)) {
    if (writtenNumber(number) instanceof ExactNumber) return true;
  }
  return false;
}

/**
 * Returns `value` with an `ExactNumber` in place of each number that JavaScript would print
 * differently from its text in `source`. Modifies maps and lists in place. `source` has the same
 * structure as `value`, with all scalars as text. `known` contains the maps and lists already
 * processed.
 */
function exact(value: unknown, source: unknown, known: Map<unknown, unknown>): unknown {
  if (typeof value === "number") return typeof source === "string" ? number(value, source) : value;
  if (typeof value !== "object" || value === null || source === null) return value;
  if (known.has(value)) return known.get(value);
  known.set(value, value); // An anchor may contain its own alias.
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

/**
 * Returns an `ExactNumber` for the YAML number `source` if JavaScript would print it differently,
 * otherwise `value`.
 */
function number(value: number, source: string): number | ExactNumber {
  const text = source.replace(/^\+|_/g, "");
  const written = isJsonNumber(text) ? writtenNumber(text) : value;
  return written instanceof ExactNumber ? written : value;
}
