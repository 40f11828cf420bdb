/** The text around a value: the first match between `left` and `right` is the value. */
export interface BoundaryExpression {
  readonly left: string;
  readonly right: string;
  /** Name before the value, such as `token` in `token=`; empty if there is none. */
  readonly key: string;
}

/** Maximum length of the text before the value, in UTF-16 units. */
const LONGEST_LEFT = 120;
/** Length of the part of a body that the engine searches for boundaries, in UTF-16 units. */
const SEARCHED = 2 ** 20;
/** Text that differs in the next response: a long number, hex digits, the beginning of a UUID. */
const GENERATED = /\d{6,}|[0-9a-f]{12,}|[0-9a-f]{8}-[0-9a-f]{4}-/i;
const KEY = /([A-Za-z_][\w-]*)["'\]]*\s*(?:[:=]|\bcontent\b|\bvalue\b)?[\s"'=(]*$/;

/**
 * Returns the shortest unique text before a value that starts at a word, and the character after the
 * value. Returns undefined if there is no such text of at most 120 characters that is likely to occur
 * in the next response too.
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

/** Reports whether `left` occurs only at `from`; a second match may come first in the next response. */
function isUnique(text: string, left: string, from: number): boolean {
  return text.indexOf(left) === from && text.indexOf(left, from + 1) < 0;
}

/** Returns the name at the end of the text before a value; `id` for a path segment. */
function keyBefore(left: string): string {
  return left.endsWith("/") ? "id" : KEY.exec(left)?.[1] ?? "";
}

/** Returns the start of the last word that ends at or before `end`. */
function wordBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && !isWord(text[at - 1])) at--;
  while (at > 0 && isWord(text[at - 1])) at--;
  return at;
}

function isWord(character: string): boolean {
  return /\w/.test(character);
}
