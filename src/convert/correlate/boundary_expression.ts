/** What stands around a value in a text, so that the first match between `left` and `right` is the value. */
export interface BoundaryExpression {
  readonly left: string;
  readonly right: string;
  /** The name that stands before the value; empty when there is none. */
  readonly key: string;
}

const LONGEST_LEFT = 120;
/** How much of a body the engine searches for boundaries, in UTF-16 units. */
const SEARCHED = 2 ** 20;
/** What differs in the next answer: a long number, hex, the beginning of a UUID. */
const GENERATED = /\d{6,}|[0-9a-f]{12,}|[0-9a-f]{8}-[0-9a-f]{4}-/i;
const KEY = /([A-Za-z_][\w-]*)["'\]]*\s*(?:[:=]|\bcontent\b|\bvalue\b)?[\s"'=(]*$/;

/**
 * The shortest text before a value, from a word on, that occurs nowhere else in the body; undefined if
 * no text of up to 120 characters does that would occur in the next response too.
 */
export function boundaryAround(
  text: string,
  start: number,
  length: number,
): BoundaryExpression | undefined {
  const value = text.slice(start, start + length);
  const right = text.slice(start + length, start + length + 1);
  if (right === "" || start + length >= SEARCHED || value.includes(right)) return undefined;
  for (
    let from = wordBefore(text, start);
    start - from <= LONGEST_LEFT;
    from = wordBefore(text, from)
  ) {
    const left = text.slice(from, start);
    if (GENERATED.test(left)) return undefined;
    if (isUnique(text, left, from)) return { left, right, key: keyBefore(left) };
    if (from === 0) return undefined;
  }
  return undefined;
}

/** A second match, later in the recorded response, may come first in the next one. */
function isUnique(text: string, left: string, from: number): boolean {
  return text.indexOf(left) === from && text.indexOf(left, from + 1) < 0;
}

/** The name of what a text leads up to: of a path segment, an id. */
function keyBefore(left: string): string {
  return left.endsWith("/") ? "id" : KEY.exec(left)?.[1] ?? "";
}

/** Where the word begins that ends at or before `end`. */
function wordBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && !isWord(text[at - 1])) at--;
  while (at > 0 && isWord(text[at - 1])) at--;
  return at;
}

function isWord(character: string): boolean {
  return /\w/.test(character);
}
