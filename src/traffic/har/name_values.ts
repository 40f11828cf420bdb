import { objectsAt, textAt } from "./broken_entry.ts";
import type { NameValue } from "./exchange.ts";

/** The `{name, value}` objects of a HAR list, in order; those without a name are left out. */
export function fieldsAt(value: unknown, path: string): NameValue[] {
  return objectsAt(value, path).flatMap((item) => {
    const name = textAt(item.name, `${path}.name`);
    return name ? [{ name, value: textAt(item.value, `${path}.value`) ?? "" }] : [];
  });
}

/** The first value of the header of that name, in any case. */
export function headerValue(headers: readonly NameValue[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}
