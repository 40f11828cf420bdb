/** An entry cannot be used; `message` says why, such as `request.url is missing`. */
export class BrokenEntry extends Error {
  /** What the error is called. */
  override readonly name = "BrokenEntry";
}

/** A JSON object, its members unknown. */
export type JsonObject = { readonly [name: string]: unknown };

/** `value` as an object; an empty one when it is absent. Throws BrokenEntry for any other kind. */
export function objectAt(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as JsonObject;
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected an object`);
}

/** `value` as a list of objects; an empty one when it is absent. Throws BrokenEntry for any other kind. */
export function objectsAt(value: unknown, path: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item, i) => objectAt(item, `${path}[${i}]`));
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected a list`);
}

/** `value` as text, numbers and booleans too; undefined when it is absent. Throws BrokenEntry else. */
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
