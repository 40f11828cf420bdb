import type { NameValue } from "./exchange.ts";

/**
 * Parses `application/x-www-form-urlencoded` text into decoded fields. Keeps their order and repeated
 * names.
 */
export function parseForm(text: string): NameValue[] {
  return text.split("&").filter((pair) => pair !== "").map((pair) => {
    const equals = pair.indexOf("=");
    const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return { name: decoded(name), value: decoded(value) };
  });
}

/**
 * Returns the fields of `params` or `queryString` in decoded form. The HAR specification requires
 * decoded fields, but some recorders write them percent-encoded. Fields count as encoded if every `%`
 * starts an escape and no character requires one.
 */
export function decodedFields(fields: readonly NameValue[]): NameValue[] {
  const texts = fields.flatMap(({ name, value }) => [name, value]);
  const encoded = texts.some((text) => text.includes("%")) && texts.every(looksEncoded);
  if (!encoded) return [...fields];
  return fields.map(({ name, value }) => ({ name: decoded(name), value: decoded(value) }));
}

function looksEncoded(text: string): boolean {
  return /^(?:[!-$'-<>-~]|%[0-9a-fA-F]{2})*$/.test(text);
}

/** Decodes percent-encoding, and `+` as a space. Keeps the escapes if they are not valid UTF-8. */
function decoded(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
