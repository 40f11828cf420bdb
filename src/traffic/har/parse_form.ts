import type { NameValue } from "./exchange.ts";

/** The pairs of an `application/x-www-form-urlencoded` text: order and repeats kept. */
export function parseForm(text: string): NameValue[] {
  return text.split("&").filter((pair) => pair !== "").map((pair) => {
    const equals = pair.indexOf("=");
    const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return { name: decoded(name), value: decoded(value) };
  });
}

/**
 * The pairs of `params` or `queryString` as they are meant. HAR says that they are decoded; recorders
 * that write them encoded are known by text in which every `%` is an escape and nothing stands bare
 * that an encoder would have escaped.
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

/** Percent-decoded, `+` as a space; escapes that are not UTF-8 stay as they are. */
function decoded(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
