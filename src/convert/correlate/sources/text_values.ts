import { escapeRegex } from "../../../base/string_escapes.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import {
  boundaryAround,
  changingRanges,
  isWord,
  keyBefore,
  regexAround,
  returnsOnly,
  SEARCHED,
  wordBefore,
} from "./boundary_expression.ts";
import type { FoundValues, Located, WantedValues } from "./source_search.ts";
import { findOccurrences } from "./text_occurrences.ts";

/** Maximum number of occurrences of a value around which to look for boundaries. */
export const MOST_TRIES = 3;

/**
 * Finds the values in the body `text` that look dynamic in a request, and locates each by the text
 * around its first occurrence that has suitable boundaries. Ignores the values in `known`.
 */
export function addTextValues(
  call: RecordedCall,
  text: string,
  { sent, sought }: Pick<WantedValues, "sent" | "sought">,
  known: ReadonlySet<string>,
  add: FoundValues["add"],
): void {
  const tries = new Map<string, number>();
  for (const { value, start, end, transform } of findOccurrences(text, sought)) {
    const tried = tries.get(value) ?? 0;
    if (tried >= MOST_TRIES || known.has(value) || !sent.sought.get(value)?.sure) continue;
    const located = locateText(text, start, end);
    tries.set(value, located === undefined ? tried + 1 : MOST_TRIES);
    if (located === undefined) continue;
    const { key, extractor } = located;
    add({
      value,
      key,
      source: "html",
      by: "use",
      numeric: false,
      producer: call,
      located: transform.length > 0 ? { ...extractor, transform } : extractor,
    });
  }
}

/** Returns an extractor for `text[start, end)`, and the name before it. */
export function locateText(
  text: string,
  start: number,
  end: number,
): { key: string; extractor: Located } | undefined {
  const around = boundaryAround(text, start, end - start);
  if (around !== undefined) {
    const { key, left, right } = around;
    return { key, extractor: { type: "boundary", left, right } };
  }
  const extractor = regexAround(text, start, end - start);
  if (extractor?.type !== "regex") return undefined;
  if (!returnsOnly(text, extractor.expression, text.slice(start, end))) return undefined;
  return { key: keyBefore(text.slice(Math.max(0, start - LONGEST_KEY), start)), extractor };
}

/** How far before a value to search for the name of the value, in UTF-16 code units. */
const LONGEST_KEY = 60;
/** Maximum length of the text after a value that an extractor matches, in UTF-16 code units. */
const LONGEST_AFTER = 120;

/**
 * Returns an extractor for a value between quotes in the body `text`, such as the id `f7CP2` in
 * `['Textbox','f7CP2',{id:'user'}]`. The extractor contains the word before the value. If this word
 * is before other values, too, it also contains the shortest text after the value that
 * distinguishes them, and that is in the same list, object or call. Otherwise, returns the extractor
 * of `locateText`. `start` and `length` are the range of the value in `text`, in UTF-16 code units.
 * `isId` reports whether a word is a generated id. Returns undefined if every extractor would
 * contain such an id.
 */
export function locateQuoted(
  text: string,
  start: number,
  length: number,
  isId: (word: string) => boolean,
): Located | undefined {
  const end = start + length;
  if (end >= SEARCHED || end === text.length) return undefined;
  const containsId = (part: string) => part.match(/\w+/g)?.some(isId) ?? false;
  const isStable = (part: string) => changingRanges(part).length === 0 && !containsId(part);
  const left = leftWord(text, start);
  const right = text[end];
  if (isStable(left)) {
    const after = textAfter(text, start, end, left);
    if (after === "") return { type: "boundary", left, right };
    if (after !== undefined && isStable(after)) {
      const expression = `${escapeRegex(left)}([^${escapeRegex(right)}]+)${escapeRegex(after)}`;
      return { type: "regex", expression };
    }
  }
  const found = locateText(text, start, end)?.extractor;
  const before = found?.type === "boundary"
    ? found.left
    : found?.type === "regex" && found.expression;
  return before && !containsId(before) ? found : undefined;
}

/** Matches the characters after the last word, such as `','` or `(&#39;`. */
const AFTER_WORD = /(?:&#?\w{2,5};|\W)*$/;

/** Returns the word before the value at `start` in `text`, and the characters between both. */
export function leftWord(text: string, start: number): string {
  const [between] = AFTER_WORD.exec(text.slice(Math.max(0, start - LONGEST_KEY), start))!;
  return text.slice(wordBefore(text, start - between.length), start);
}

/**
 * Returns the shortest text after the value `text[start, end)` that does not follow another value
 * after `left`. It ends with a whole word and the character after it. Returns an empty string if
 * `left` occurs only before this value. Returns undefined if there is no such text of at most 120
 * UTF-16 code units before the end of the list, object or call that contains the value.
 */
function textAfter(text: string, start: number, end: number, left: string): string | undefined {
  const right = text[end];
  const value = text.slice(start, end);
  let common = -1;
  for (let at = text.indexOf(left); at >= 0; at = text.indexOf(left, at + 1)) {
    const from = at + left.length;
    const other = text.indexOf(right, from);
    if (other < 0) break;
    if (text.slice(from, other) === value) continue;
    let equal = 0;
    while (equal < LONGEST_AFTER && text[end + equal] === text[other + equal]) equal++;
    common = Math.max(common, equal);
  }
  if (common < 0) return "";
  let to = end + common;
  while (to < text.length && isWord(text[to])) to++;
  const after = text.slice(end, to + 1);
  return after.length > LONGEST_AFTER || closesBracket(after) ? undefined : after;
}

/** Reports whether a bracket in `text` closes a bracket that was opened before it. */
function closesBracket(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()[\]{}]/g)) {
    depth += "([{".includes(bracket) ? 1 : -1;
    if (depth < 0) return true;
  }
  return false;
}
