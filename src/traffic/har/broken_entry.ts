/** Thrown for an entry that cannot be used; `message` is the reason, such as `request.url is missing`. */
export class BrokenEntry extends Error {
  /** Name of the error class. */
  override readonly name = "BrokenEntry";
}

/** A JSON object with unknown members. */
export type JsonObject = { readonly [name: string]: unknown };

/** Returns `value` as an object; an empty one if it is absent. Throws BrokenEntry for other types. */
export function objectAt(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as JsonObject;
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected an object`);
}

/** Returns `value` as a list of objects; an empty one if it is absent. Throws BrokenEntry for other types. */
export function objectsAt(value: unknown, path: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item, i) => objectAt(item, `${path}[${i}]`));
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected a list`);
}

/**
 * Returns `value` as a string; converts numbers and booleans. Returns undefined if it is absent. Throws
 * BrokenEntry for other types.
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
