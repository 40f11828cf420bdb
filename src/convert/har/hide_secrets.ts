import type { RequestField } from "../../traffic/session/request_field.ts";
import type { Replacements } from "../correlate/replacements.ts";
import { withShown } from "../../traffic/session/text_ranges.ts";
import type { Secret } from "./find_secrets.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { HIDDEN } from "../../traffic/secrets/without_secrets.ts";

/**
 * Returns a function that replaces each of `secrets` in its argument with `********`. Ignores
 * secrets of fewer than 8 characters.
 */
export function secretHider(secrets: readonly string[]): (text: string) => string {
  const index = new ValueIndex();
  for (const secret of secrets) index.add(secret);
  return (text) => {
    const found = index.find(text);
    if (found.length === 0) return text;
    return withShown(text, found.map(({ start, end }) => ({ start, end, text: HIDDEN })));
  };
}

/**
 * Returns a function that formats the recorded text of a field for display. It shows `${name}` for
 * replaced values and `********` for credentials.
 */
export function shownFields(
  replacements: Replacements,
  secrets: readonly Secret[],
): (field: RequestField) => string {
  const places = Map.groupBy(secrets.flatMap(({ places }) => places), ({ field }) => field);
  return (field) => {
    const hidden = places.get(field)?.map(({ start, end }) => ({ start, end, text: HIDDEN }));
    return replacements.shown(field, hidden);
  };
}
