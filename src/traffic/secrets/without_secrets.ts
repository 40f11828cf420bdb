import { decodePercent } from "../../base/string_escapes.ts";
import { withoutOverlaps } from "../session/value_index.ts";
import { isNamedSecret } from "./secret_names.ts";
import { pairedSecrets } from "./secret_pairs.ts";
import { shapedSecrets } from "./secret_shapes.ts";

/** Text shown in place of a credential. */
export const HIDDEN = "********";

/**
 * Replaces the credentials in `text` with `********`. Identifies them by their shape, or by the
 * name before them, as in a query string.
 */
export function withoutSecrets(text: string): string {
  const ranges = [...shapedSecrets(text), ...pairedSecrets(text).map(({ range }) => range)];
  const pieces = withoutOverlaps(ranges.map(([start, end]) => ({ start, end })));
  return pieces.reduceRight(
    (shown, { start, end }) => shown.slice(0, start) + HIDDEN + shown.slice(end),
    text,
  );
}

/** Matches a field of a query or of a URL-encoded form. */
const FIELD = /(?<=^|[?&])([^?&=#\s]+)=([^&#\s]+)/g;

/**
 * Replaces the credentials in a URL, a query or a URL-encoded form with `********`. Unlike
 * `withoutSecrets`, decodes the names of the fields, and hides the whole value of a field.
 */
export function withoutSecretFields(text: string): string {
  return withoutSecrets(text.replace(FIELD, (field, name: string, value: string) => {
    const [plainName, plainValue] = [name, value].map((encoded) =>
      decodePercent(encoded.replaceAll("+", " ")) ?? encoded
    );
    return isNamedSecret(plainName, plainValue) ? `${name}=${HIDDEN}` : field;
  }));
}
