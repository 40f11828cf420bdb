import { ValueIndex, withoutOverlaps } from "../../traffic/session/value_index.ts";
import { pairedSecrets } from "./secret_pairs.ts";
import { shapedSecrets } from "./secret_shapes.ts";

/** Text shown in place of a credential. */
export const HIDDEN = "********";

/** A range of a text and its replacement. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the text with ranges replaced. The ranges must be in order and must not overlap. */
export function withReplaced(text: string, pieces: readonly Replacement[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: shown } of pieces) {
    result += text.slice(done, start) + shown;
    done = end;
  }
  return result + text.slice(done);
}

/**
 * Returns a function that replaces the given credentials in a text with `********`. Ignores credentials
 * of fewer than 8 characters.
 */
export function secretHider(secrets: readonly string[]): (text: string) => string {
  const index = new ValueIndex();
  for (const secret of secrets) index.add(secret);
  return (text) =>
    withReplaced(text, index.find(text).map((found) => ({ ...found, text: HIDDEN })));
}

/**
 * Returns the text with credentials replaced by `********`. Identifies them by shape or by the name
 * before them, as in a URL.
 */
export function withoutSecrets(text: string): string {
  const ranges = [...shapedSecrets(text), ...pairedSecrets(text).map(({ range }) => range)];
  const pieces = ranges.map(([start, end]) => ({ start, end, text: HIDDEN }));
  return withReplaced(text, withoutOverlaps(pieces));
}
