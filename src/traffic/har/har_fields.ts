import type { NameValue } from "./recording.ts";

/**
 * Error for a HAR entry that cannot be used. `message` is the reason, such as `request.url is
 * missing`.
 */
export class BrokenEntry extends Error {
  /** Name of the error class. */
  override readonly name = "BrokenEntry";
}

/** A parsed JSON object whose members have not been validated. */
export type JsonObject = { readonly [name: string]: unknown };

/**
 * Returns `value` as an object, or an empty object if it is undefined or null. `path` identifies
 * the value in error messages. Throws BrokenEntry for other types.
 */
export function objectAt(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected an object`);
}

/**
 * Returns `value` as a list of objects, or an empty list if it is undefined or null. `path`
 * identifies the value in error messages. Throws BrokenEntry for other types.
 */
export function objectsAt(value: unknown, path: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    return value.every(isObject) ? value : value.map((item, i) => objectAt(item, `${path}[${i}]`));
  }
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected a list`);
}

/**
 * Returns `value` as a string, or undefined if it is undefined or null. Converts numbers and
 * booleans. `path` identifies the value in error messages. Throws BrokenEntry for other types.
 */
export function textAt(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object") {
    throw new BrokenEntry(`${path} is ${describeType(value)}, expected a string`);
  }
  return String(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Reads a HAR list of `{name, value}` objects, in order. Skips objects without a name. `path`
 * identifies the list in error messages. Throws BrokenEntry if the list, an element, a name or a
 * value has the wrong type.
 */
export function fieldsAt(value: unknown, path: string): NameValue[] {
  const fields: NameValue[] = [];
  for (const { name, value: text } of objectsAt(value, path)) {
    // Does not build the paths of valid fields, because only error messages need them.
    if (typeof name === "string" && typeof text === "string") {
      if (name !== "") fields.push(shared(name, text));
      continue;
    }
    const named = textAt(name, `${path}.name`);
    if (named) fields.push({ name: named, value: textAt(text, `${path}.value`) ?? "" });
  }
  return fields;
}

/** Maximum number of different fields that `shared` caches. */
const MOST_SHARED = 10_000;
/** Maximum length of the value of a shared field, in UTF-16 code units. */
const LONGEST_SHARED = 256;

/** Cache of shared fields, keyed by name and then by value. */
const known = new Map<string, Map<string, NameValue>>();
let knownCount = 0;

/**
 * Returns a field with this name and value. Equal fields share one object, because most headers are
 * the same in many entries. The garbage collector then has less to move.
 */
function shared(name: string, value: string): NameValue {
  if (value.length > LONGEST_SHARED) return { name, value };
  const field = known.get(name)?.get(value);
  if (field !== undefined) return field;
  const created = { name, value };
  if (knownCount < MOST_SHARED) {
    knownCount++;
    const values = known.get(name);
    if (values === undefined) known.set(name, new Map([[value, created]]));
    else values.set(value, created);
  }
  return created;
}

/**
 * Returns the value of the first header with the given name, or undefined if no header has that
 * name. `name` must be in lower case.
 */
export function headerValue(headers: readonly NameValue[], name: string): string | undefined {
  // Compare the lengths first, because most names differ in length.
  return headers.find((header) =>
    header.name.length === name.length && header.name.toLowerCase() === name
  )?.value;
}
