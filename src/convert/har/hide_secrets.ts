import type { RequestField } from "../../traffic/session/request_field.ts";
import { type Replacements, withShown } from "../correlate/replacements.ts";
import type { Secret } from "./find_secrets.ts";
import { ValueIndex, withoutOverlaps } from "../../traffic/session/value_index.ts";
import { pairedSecrets } from "../secrets/secret_pairs.ts";
import { shapedSecrets } from "../secrets/secret_shapes.ts";

/** Text shown in place of a credential. */
const HIDDEN = "********";

/**
 * Returns a function that replaces each of `secrets` in its argument with `********`. Ignores
 * secrets of fewer than 8 characters.
 */
export function secretHider(secrets: readonly string[]): (text: string) => string {
  const index = new ValueIndex();
  for (const secret of secrets) index.add(secret);
  return (text) => withShown(text, index.find(text).map((found) => ({ ...found, text: HIDDEN })));
}

/**
 * Replaces the credentials in `text` with `********`. Identifies them by their shape, or by the
 * name before them, as in a query string.
 */
export function withoutSecrets(text: string): string {
  const ranges = [...shapedSecrets(text), ...pairedSecrets(text).map(({ range }) => range)];
  const pieces = ranges.map(([start, end]) => ({ start, end, text: HIDDEN }));
  return withShown(text, withoutOverlaps(pieces));
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
    const hidden = places.get(field) ?? [];
    return replacements.shown(
      field,
      hidden.map(({ start, end }) => ({ start, end, text: HIDDEN })),
    );
  };
}
