import { escapeRegex } from "../../../base/string_escapes.ts";
import { looksGenerated } from "../../../traffic/session/dynamic_value.ts";
import type { Located } from "./source_search.ts";

/**
 * The delimiters around a value in a body. A `boundary` extractor returns the text between the
 * first occurrence of `left` and the next occurrence of `right`.
 */
export interface BoundaryExpression {
  readonly left: string;
  readonly right: string;
  /**
   * Name before the value, such as `token` in `token=`, or an empty string if no name precedes it.
   */
  readonly key: string;
}

/** Maximum length of the left boundary, in UTF-16 code units. */
const LONGEST_LEFT = 120;
/** Maximum length of the right boundary, in UTF-16 code units. */
const LONGEST_RIGHT = 8;
/** Number of UTF-16 code units at the start of a body that the engine searches for boundaries. */
export const SEARCHED = 2 ** 20;
/**
 * Matches text that probably differs in the next response: a number in a path or query, a date, or
 * a time.
 */
const CHANGING = /[/=]\d+(?=[/&?#"'\\])|\d{4}-\d\d-\d\d|\d\d:\d\d/g;
/** Matches a segment of a path, or the value of a parameter, and the delimiter before it. */
const PART = /(?:^|[/=])([^/=&?#"'\\\s<>]+)(?=[/&?#"'\\])/g;
const TOKEN = /[A-Za-z0-9]+/g;
const KEY =
  /([A-Za-z_][\w-]*)(?:[\\"'\]]|&quot;)*\s*(?:[:=]|\bcontent\b|\bvalue\b)?(?:[\s\\"'=(]|&quot;)*$/;
const ATTRIBUTE = /\b(?:content|value)\s*=\s*[\\"']*$/;

/**
 * Returns the boundaries of a value in the body `text`. `left` is the shortest text before the
 * value that begins with a whole word and is unique in the body. `right` is the shortest text after
 * the value that the value does not contain. `start` and `length` are the range of the value in
 * `text`, in UTF-16 code units. Returns undefined if no left boundary of at most 120 units is
 * unique and likely to occur in the next response, if there is no right boundary of at most 8
 * units, or if the value ends beyond the first 1,048,576 units.
 */
export function boundaryAround(
  text: string,
  start: number,
  length: number,
): BoundaryExpression | undefined {
  const right = rightOf(text, start, length);
  if (right === undefined || start + length >= SEARCHED) return undefined;
  for (const from of leftStarts(text, start)) {
    const left = text.slice(from, start);
    if (changingRanges(left).length > 0) return undefined;
    if (isUnique(text, left, from)) return { left, right, key: keyBefore(left) };
  }
  return undefined;
}

const NO_VARIABLES: ReadonlySet<string> = new Set();

/**
 * Maximum number of changing parts in the text before a value: parts that probably differ in the
 * next response, such as dates. If there are more, no `regex` extractor is built.
 */
const MOST_CHANGING = 4;

/** Maximum number of expressions that are tried for one occurrence of a value. */
const MOST_TRIED = 8;

/**
 * Returns a `regex` extractor for a value that has no boundaries, because the text before it
 * contains parts that probably differ in the next response, or because the value is the whole body.
 * The expression matches any text in place of these parts, and of the path segments and parameters
 * in `variables`. Returns undefined if no expression matches only the value.
 */
export function regexAround(
  text: string,
  start: number,
  length: number,
  variables: ReadonlySet<string> = NO_VARIABLES,
): Located | undefined {
  if (text.trim().length === length && start + length < SEARCHED) {
    return { type: "regex", expression: "^\\s*(\\S+)\\s*$" };
  }
  const right = rightOf(text, start, length)?.[0];
  if (right === undefined || start + length >= SEARCHED) return undefined;
  const value = text.slice(start, start + length);
  const stop = escapeRegex(right).replace("\n", "\\n").replace("\r", "\\r");
  const group = value.includes(right) ? undefined : `([^${stop}]+)${stop}`;
  if (group === undefined) return undefined;
  const searched = text.slice(0, SEARCHED);
  let tried = 0;
  for (const from of leftStarts(text, start)) {
    const left = generalized(text.slice(from, start), variables);
    if (left === "") continue;
    if (left === undefined || ++tried > MOST_TRIED) return undefined;
    const expression = left + group;
    const found = new RegExp(expression).exec(searched);
    if (found?.[1] === value && found.index === from) return { type: "regex", expression };
  }
  return undefined;
}

/**
 * Matches the capture group of an expression that `regexAround` returns. Group 1 of this pattern is
 * the character after the value.
 */
const GROUP = /\(\[\^((?:\\.|[^\\\]]))\]\+\)\1$/s;

/**
 * Reports whether group 1 of every match in `text` is `value`. `expression` is the expression of an
 * extractor that `regexAround` returned.
 */
export function returnsOnly(text: string, expression: string, value: string): boolean {
  const group = GROUP.exec(expression);
  if (group !== null) {
    // One search for another value is faster than a match for each of many equal values.
    const left = expression.slice(0, group.index);
    const other = `${left}(?!${escapeRegex(value)}${group[1]})${group[0]}`;
    if (!new RegExp(other).test(text)) return true;
  }
  // Matches of `other` may overlap with matches of the expression.
  return text.matchAll(new RegExp(expression, "g")).every(([, found]) => found === value);
}

/**
 * Returns the source of a regular expression for `text`. The expression matches any text in place
 * of the parts of `text` that probably differ in the next response, or are in `variables`. Returns
 * an empty string if `text` starts with such a part, and undefined if it has more than 4 such parts.
 */
function generalized(text: string, variables: ReadonlySet<string>): string | undefined {
  const ranges = changingRanges(text, variables);
  if (ranges.length > MOST_CHANGING) return undefined;
  if (ranges[0]?.[0] === 0) return "";
  let pattern = "";
  let done = 0;
  for (const [from, to] of ranges) {
    pattern += `${escapeRegex(text.slice(done, from))}[^\\s"'<>/&]+?`;
    done = to;
  }
  return pattern + escapeRegex(text.slice(done));
}

/** Reports whether a path segment or the value of a parameter in `text` is one of `values`. */
export function containsPart(text: string, values: ReadonlySet<string>): boolean {
  return text.matchAll(PART).some(([, part]) => values.has(part));
}

/**
 * Returns the ranges of a string that probably differ in the next response, or are in `variables`,
 * in order.
 */
export function changingRanges(
  text: string,
  variables = NO_VARIABLES,
): [start: number, end: number][] {
  const ranges: [number, number][] = [];
  for (const { 0: found, index } of text.matchAll(CHANGING)) {
    const skipped = /^[/=]/.test(found) ? 1 : 0;
    ranges.push([index + skipped, index + found.length]);
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (looksGenerated(token)) ranges.push([index, index + token.length]);
  }
  if (variables.size > 0) {
    for (const { 0: found, 1: part, index } of text.matchAll(PART)) {
      const end = index + found.length;
      if (variables.has(part)) ranges.push([end - part.length, end]);
    }
  }
  ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  return ranges.filter(([start], i) => i === 0 || start >= ranges[i - 1][1]);
}

/** Yields the starts of the possible left boundaries of a value that starts at `start`. */
function* leftStarts(text: string, start: number): Generator<number> {
  let from = wordBefore(text, start);
  for (; start - from <= LONGEST_LEFT; from = wordBefore(text, from)) {
    if (from < start) yield from;
    if (from === 0) return;
  }
}

function rightOf(text: string, start: number, length: number): string | undefined {
  const value = text.slice(start, start + length);
  const end = start + length;
  for (let size = 1; size <= LONGEST_RIGHT && end + size <= text.length; size++) {
    const right = text.slice(end, end + size);
    if (!value.includes(right)) return right;
  }
  return undefined;
}

/**
 * Reports whether `left` occurs only at offset `from`. If it occurred twice, the extractor could
 * return the text after the other occurrence.
 */
function isUnique(text: string, left: string, from: number): boolean {
  return text.indexOf(left) === from && text.indexOf(left, from + 1) < 0;
}

/**
 * Returns the name at the end of a left boundary, such as `token` for `token="`. Returns `id` if
 * the boundary ends with `/`, or an empty string if it does not end with a name.
 */
export function keyBefore(left: string): string {
  if (left.endsWith("/")) return "id";
  // Without the attribute that contains the value, so that the name of the element remains.
  return KEY.exec(left.replace(ATTRIBUTE, ""))?.[1] ?? KEY.exec(left)?.[1] ?? "";
}

/** Returns the start of the last word in `text` that ends at or before offset `end`. */
export function wordBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && !isWord(text[at - 1])) at--;
  while (at > 0 && isWord(text[at - 1])) at--;
  return at;
}

/** Reports whether a character is a letter or a digit of ASCII, or an underscore. */
export function isWord(character: string): boolean {
  return /\w/.test(character);
}
