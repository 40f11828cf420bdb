import { objectsAt, textAt } from "./broken_entry.ts";
import type { NameValue } from "./exchange.ts";

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
 * Returns the value of the first header with this name; undefined if there is none. `name` must be in
 * lower case.
 */
export function headerValue(headers: readonly NameValue[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}
