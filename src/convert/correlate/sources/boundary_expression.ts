/**
 * The delimiters around a value in a body. A `boundary` extractor returns the text between the
 * first occurrence of `left` and the next occurrence of `right`.
 */
export interface BoundaryExpression {
  readonly left: string;
  readonly right: string;
  /** Name before the value, such as `token` in `token=`, or an empty string if no name precedes it. */
  readonly key: string;
}

/** Maximum length of the left boundary, in UTF-16 units. */
const LONGEST_LEFT = 120;
/** Number of UTF-16 units at the start of a body that the engine searches for boundaries. */
const SEARCHED = 2 ** 20;
/**
 * Matches text that is probably different in the next response: a long number, a sequence of hex
 * digits, or the start of a UUID.
 */
const GENERATED = /\d{6,}|[0-9a-f]{12,}|[0-9a-f]{8}-[0-9a-f]{4}-/i;
const KEY = /([A-Za-z_][\w-]*)["'\]]*\s*(?:[:=]|\bcontent\b|\bvalue\b)?[\s"'=(]*$/;

/**
 * Returns the boundaries of a value in the body `text`. `left` is the shortest text before the
 * value that starts at a word and is unique in the body. `right` is the character after the value.
 * `start` and `length` are the range of the value in `text`, in UTF-16 units. Returns undefined if
 * no left boundary of at most 120 units is unique and likely to occur in the next response, if the
 * value contains `right` or ends the body, or if the value ends beyond the first 1,048,576 units.
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

/**
 * Reports whether `left` occurs only at offset `from`. If it occurred twice, the extractor could return
 * the text after the other occurrence.
 */
function isUnique(text: string, left: string, from: number): boolean {
  return text.indexOf(left) === from && text.indexOf(left, from + 1) < 0;
}

/**
 * Returns the name at the end of a left boundary, such as `token` for `token="`. Returns `id` if the
 * boundary ends with `/`, or an empty string if it does not end with a name.
 */
function keyBefore(left: string): string {
  return left.endsWith("/") ? "id" : KEY.exec(left)?.[1] ?? "";
}

/** Returns the start of the last word in `text` that ends at or before offset `end`. */
function wordBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && !isWord(text[at - 1])) at--;
  while (at > 0 && isWord(text[at - 1])) at--;
  return at;
}

function isWord(character: string): boolean {
  return /\w/.test(character);
}
