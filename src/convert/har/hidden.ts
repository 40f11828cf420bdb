import { ValueIndex, withoutOverlaps } from "../correlate/value_index.ts";
import { pairedSecrets } from "./secret_pairs.ts";
import { shapedSecrets } from "./secret_shapes.ts";

/** What is shown in place of a credential. */
export const HIDDEN = "********";

/** A piece of a text and what is shown in its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with its pieces replaced; they are in order and do not overlap. */
export function withReplaced(text: string, pieces: readonly Replacement[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: shown } of pieces) {
    result += text.slice(done, start) + shown;
    done = end;
  }
  return result + text.slice(done);
}

/** Returns a function that hides the given credentials of 8 characters or more in text. */
export function secretHider(secrets: readonly string[]): (text: string) => string {
  const index = new ValueIndex();
  for (const secret of secrets) index.add(secret);
  return (text) =>
    withReplaced(text, index.find(text).map((found) => ({ ...found, text: HIDDEN })));
}

/** Hides the credentials that a text shows by their shape or name, as an address does. */
export function withoutSecrets(text: string): string {
  const ranges = [...shapedSecrets(text), ...pairedSecrets(text).map(({ range }) => range)];
  const pieces = ranges.map(([start, end]) => ({ start, end, text: HIDDEN }));
  return withReplaced(text, withoutOverlaps(pieces));
}
