import { withoutOverlaps } from "../session/value_index.ts";
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
