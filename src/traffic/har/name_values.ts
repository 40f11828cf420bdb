import { objectsAt, textAt } from "./broken_entry.ts";
import type { NameValue } from "./exchange.ts";

/** Reads the `{name, value}` objects of a HAR list, in order; skips those without a name. */
export function fieldsAt(value: unknown, path: string): NameValue[] {
  return objectsAt(value, path).flatMap((item) => {
    const name = textAt(item.name, `${path}.name`);
    return name ? [{ name, value: textAt(item.value, `${path}.value`) ?? "" }] : [];
  });
}

/** Returns the first value of a header; undefined if absent. `name` is in lower case. */
export function headerValue(headers: readonly NameValue[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}
