import type { NameValue } from "./recording.ts";

/**
 * Error for a HAR entry that cannot be used. `message` is the reason, such as `request.url is missing`.
 */
export class BrokenEntry extends Error {
  /** Name of the error class. */
  override readonly name = "BrokenEntry";
}

/** A parsed JSON object whose members have not been validated. */
export type JsonObject = { readonly [name: string]: unknown };

/**
 * Returns `value` as an object, or an empty object if it is undefined or null. `path` names the value
 * in error messages. Throws BrokenEntry for other types.
 */
export function objectAt(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as JsonObject;
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected an object`);
}

/**
 * Returns `value` as a list of objects, or an empty list if it is undefined or null. `path` names the
 * value in error messages. Throws BrokenEntry for other types.
 */
export function objectsAt(value: unknown, path: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item, i) => objectAt(item, `${path}[${i}]`));
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected a list`);
}

/**
 * Returns `value` as a string, with numbers and booleans converted, or undefined if it is undefined or
 * null. `path` names the value in error messages. Throws BrokenEntry for other types.
 */
export function textAt(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object") {
    throw new BrokenEntry(`${path} is ${describeType(value)}, expected a string`);
  }
  return String(value);
}

function describeType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Reads a HAR list of `{name, value}` objects, in order. Skips objects without a name. `path` names the
 * list in error messages. Throws BrokenEntry if the list or an element has another type.
 */
export function fieldsAt(value: unknown, path: string): NameValue[] {
  return objectsAt(value, path).flatMap((item) => {
    const name = textAt(item.name, `${path}.name`);
    return name ? [{ name, value: textAt(item.value, `${path}.value`) ?? "" }] : [];
  });
}

/**
 * Returns the value of the first header with this name, or undefined if no header has it. `name` must
 * be in lower case.
 */
export function headerValue(headers: readonly NameValue[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}
