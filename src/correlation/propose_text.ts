import { escapeRegex } from "../base/string_escapes.ts";
import type { NamelessExtractor } from "../extract/extractors.ts";
import { SEARCHED } from "../extract/response_view.ts";
import { looksGenerated } from "../traffic/session/dynamic_value.ts";

/** What is known about the texts of a recording. */
export interface Known {
  /** Reports whether the user typed a text earlier, so that it identifies the user's objects. */
  typed(text: string): boolean;
  /** As `typed`, but also for a text that joins several typed ones (default: never). */
  joined?(text: string): boolean;
  /** Reports whether a text differs between sessions, so that no extractor may contain it. */
  changing(text: string): boolean;
  /** Host to which the request was sent, with its port: a plan can be run against another one. */
  readonly host?: string;
  /**
   * Reports whether a list whose only item has these members contains what the request wrote: it is
   * a write, and the user did not type any of them before.
   */
  isReply?(members: readonly unknown[]): boolean;
}

/** A range of text, in UTF-16 code units. */
export interface TextRange {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Maximum length, in UTF-16 code units, of the text before or after a value in an extractor. */
const LONGEST_CONTEXT = 120;
/** Maximum length of the right delimiter of a boundary extractor, in UTF-16 code units. */
const LONGEST_RIGHT = 12;
const MOST_CHANGING = 4;
/** Maximum number of expressions with changing parts that are tried for one range. */
const MOST_TRIED = 8;
const TIME = /\d{4}-\d\d-\d\d|\d\d:\d\d/g;
/** Matches a number in a path or a query, which may differ in the next response. */
const NUMBER = /(?<=[/=])\d+(?=[/&?#"'\\])/g;
/** Matches the number of a row in a stream of React, also in a script. It depends on timing. */
const ROW_NUMBER = /(?<=^|\n|\\n|\[1,")[0-9a-f]+(?=:)/g;
const TOKEN = /[A-Za-z0-9]+/g;
/** Matches text that closes what was opened before it, so that the text before it is a sibling. */
const CLOSES = /[)\]}]|\/\w+>/;

/**
 * Proposes `boundary` and `regex` extractors for a value by the text around it, best first.
 * `ranges` contains its place in a body, and that of the corresponding value in other responses of
 * the same step. The text around the value must be equal in all of them, unique, and, as far as
 * known, the same in the next response.
 */
export function* textExtractors(
  ranges: readonly TextRange[],
  known: Known,
): Generator<NamelessExtractor> {
  const all = searchedRanges(ranges);
  const values = all.map(({ text, start, end }) => text.slice(start, end));
  if (all.length === 0) return;
  if (all.every(({ text }, i) => text.trim() === values[i]) && !values.some((v) => /\s/.test(v))) {
    return yield { type: "regex", expression: "^\\s*(\\S+)\\s*$" };
  }
  const before = commonBefore(all);
  const after = commonAfter(all);
  const right = delimiter(after, values, all);
  const unique = uniqueBefore(before, all, known);
  if (unique === undefined || CLOSES.test(unique)) yield* byTextAfter(before, after, all, known);
  if (unique !== undefined) {
    if (right !== undefined) yield { type: "boundary", left: unique, right };
    yield wordAfter(unique);
  }
  // Another response can show which of several equal places it is.
  if (all.length > 1 && before !== "" && right !== undefined) {
    yield { type: "boundary", left: before, right };
  }
}

export function wordAfter(left: string): Extract<NamelessExtractor, { type: "regex" }> {
  return { type: "regex", expression: `${escapeRegex(left)}([^\\s"'<>&;,(){}[\\]\\\\]+)` };
}

/** Returns the ranges in the text that a run searches, or an empty list if one is outside of it. */
function searchedRanges(ranges: readonly TextRange[]): readonly TextRange[] {
  if (ranges.some(({ start, end }) => end >= SEARCHED || start >= end)) return [];
  return ranges.map((range) => ({ ...range, text: range.text.slice(0, SEARCHED) }));
}

function commonBefore(ranges: readonly TextRange[]): string {
  const [{ text, start }] = ranges;
  let length = 0;
  while (
    length < LONGEST_CONTEXT && length < start &&
    ranges.every((range) => range.text[range.start - 1 - length] === text[start - 1 - length])
  ) length++;
  const before = text.slice(start - length, start);
  const isInWord = ranges.some((range) => /\w/.test(range.text[range.start - 1 - length] ?? ""));
  return isInWord ? before.replace(/^\w+/, "") : before;
}

function commonAfter(ranges: readonly TextRange[]): string {
  const [{ text, end }] = ranges;
  let length = 0;
  while (
    length < LONGEST_CONTEXT && end + length < text.length &&
    ranges.every((range) => range.text[range.end + length] === text[end + length])
  ) length++;
  return text.slice(end, end + length);
}

/** Returns the shortest text after the values that none of them contains. */
function delimiter(
  after: string,
  values: readonly string[],
  ranges: readonly TextRange[],
): string | undefined {
  if (ranges.every(({ text, end }) => end === text.length)) return "";
  for (let size = 1; size <= Math.min(after.length, LONGEST_RIGHT); size++) {
    const right = after.slice(0, size);
    if (!values.some((value) => value.includes(right))) return right;
  }
  return undefined;
}

/**
 * Returns the shortest end of `before` that begins with a whole word, is unique in each text, and
 * contains no part that may change. Undefined if there is none.
 */
function uniqueBefore(
  before: string,
  ranges: readonly TextRange[],
  known: Known,
): string | undefined {
  const changing = changingParts(before, ranges.length, known).at(-1)?.[1] ?? 0;
  for (const from of wordStarts(before)) {
    if (from < changing) return undefined;
    const left = before.slice(from);
    if (ranges.every(({ text, start }) => isUnique(text, left, start - left.length))) return left;
  }
  return undefined;
}

function isUnique(text: string, part: string, at: number): boolean {
  return text.indexOf(part) === at && text.indexOf(part, at + 1) < 0;
}

/**
 * Yields the offsets at which words of a text start, and those of the delimiters directly before
 * them, the last one first. A word at the end of the text needs its delimiter.
 */
function* wordStarts(text: string): Generator<number> {
  for (let from = text.length; from > 0;) {
    const end = from;
    while (from > 0 && !/\w/.test(text[from - 1])) from--;
    const isGlued = from === text.length && end === from;
    while (from > 0 && /\w/.test(text[from - 1])) from--;
    const hasDelimiter = from > 0 && /\S/.test(text[from - 1]);
    if (!isGlued || !hasDelimiter) yield from;
    if (hasDelimiter) yield from - 1;
  }
}

/**
 * Returns the ranges of a text that may differ in the next response, in order. In several
 * responses, everything that is equal counts as constant, except times and the numbers of
 * `patterns`.
 */
export function changingParts(
  text: string,
  responses: number,
  known: Known,
  patterns: readonly RegExp[] = [TIME, NUMBER],
): (readonly [start: number, end: number])[] {
  const hosts = known.host
    ? [new RegExp(`(?<=/\\\\?/)${RegExp.escape(known.host)}(?![\\w.:-])`, "g")]
    : [];
  const changing = [...patterns, ROW_NUMBER, ...hosts].flatMap((pattern) =>
    Array.from(
      text.matchAll(pattern),
      ({ 0: part, index }) => [index, index + part.length] as const,
    )
  );
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (known.changing(token) || (responses === 1 && looksGenerated(token))) {
      changing.push([index, index + token.length]);
    }
  }
  changing.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  return changing.filter(([start], i) => i === 0 || start >= changing[i - 1][1]);
}

/**
 * Proposes an expression with the word before the value and the shortest text after it that does
 * not follow another value after this word, as in `['Textbox','f7CP2',{id:'user'}]`. Both are in
 * the same list, object, call or element as the value.
 */
function* byTextAfter(
  before: string,
  after: string,
  ranges: readonly TextRange[],
  known: Known,
): Generator<NamelessExtractor> {
  const [from] = wordStarts(before);
  if (from === undefined || after === "") return;
  const left = before.slice(from);
  const [stop] = after;
  let common = -1;
  for (const { text, start, end } of ranges) {
    const value = text.slice(start, end);
    if (value.includes(stop)) return;
    for (let at = text.indexOf(left); at >= 0; at = text.indexOf(left, at + 1)) {
      const valueStart = at + left.length;
      const other = text.indexOf(stop, valueStart);
      if (other < 0) break;
      if (text.slice(valueStart, other) === value) continue;
      let equal = 0;
      while (equal < after.length && after[equal] === text[other + equal]) equal++;
      common = Math.max(common, equal);
    }
  }
  if (common < 0 || common >= after.length) return;
  const rest = /^\w*/.exec(after.slice(common))![0].length + 1;
  const right = after.slice(0, common + rest);
  if (right.length === after.length || !/\w/.test(right) || closesBracket(right)) return;
  if (changingParts(left + right, ranges.length, known).length > 0) return;
  yield {
    type: "regex",
    expression: `${escapeRegex(left)}(${noneOf(stop)}+)${escapeRegex(right)}`,
  };
}

function closesBracket(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()[\]{}]|<\/?(?=\w)/g)) {
    depth += /^[([{]$|^<$/.test(bracket) ? 1 : -1;
    if (depth < 0) return true;
  }
  return false;
}

function noneOf(character: string): string {
  return `[^${escapeRegex(character).replace("\n", "\\n").replace("\r", "\\r")}]`;
}

/**
 * Proposes an expression that matches any text in place of the parts before the value that may
 * differ in the next response. It matches only this value. If there is none, proposes one with all
 * text before the value, whose first match is this value.
 */
export function* changingTextExtractors(
  ranges: readonly TextRange[],
  known: Known,
): Generator<NamelessExtractor> {
  const all = searchedRanges(ranges);
  const [stop] = all.length > 0 ? commonAfter(all) : "";
  if (stop === undefined) return;
  const before = commonBefore(all);
  const group = `(${noneOf(stop)}+)${escapeRegex(stop).replace("\n", "\\n").replace("\r", "\\r")}`;
  const starts = [...wordStarts(before)];
  // A short number may also tell two values apart, as in `part=2&sig=`.
  for (const patterns of [[TIME, NUMBER], [TIME]]) {
    const lefts = leftPatterns(before, starts, changingParts(before, all.length, known, patterns));
    for (const { source, length } of lefts.slice(0, MOST_TRIED)) {
      const expression = source + group;
      if (all.every((range) => matchesOnly(expression, range, length))) {
        return yield { type: "regex", expression };
      }
    }
  }
  const lefts = leftPatterns(before, starts, changingParts(before, all.length, known));
  const first = lefts.findLast(({ source, length }) =>
    all.every(({ text, start }) => new RegExp(source + group).exec(text)?.index === start - length)
  );
  if (first !== undefined) yield { type: "regex", expression: first.source + group };
}

/**
 * Returns the sources of expressions for the ends of `before` that begin at `starts`, shortest
 * first. They match any text in place of the changing parts. Omits those that begin with such a
 * part or have too many.
 */
function leftPatterns(
  before: string,
  starts: readonly number[],
  changing: readonly (readonly [start: number, end: number])[],
): { readonly source: string; readonly length: number }[] {
  return starts.flatMap((from) => {
    const parts = changing.filter(([, end]) => end > from)
      .map(([start, end]) => [start - from, end - from] as const);
    if (parts.length > MOST_CHANGING || (parts.length > 0 && parts[0][0] <= 0)) return [];
    const left = before.slice(from);
    return [{ source: withAnyText(left, parts), length: left.length }];
  });
}

/** Returns the source of an expression that matches a text with any text in place of `parts`. */
function withAnyText(text: string, parts: readonly (readonly [number, number])[]): string {
  let source = "";
  let done = 0;
  for (const [start, end] of parts) {
    source += `${escapeRegex(text.slice(done, start))}[^\\s"'<>/&]+?`;
    done = end;
  }
  return source + escapeRegex(text.slice(done));
}

/** Reports whether an expression matches the value, there and everywhere else. */
function matchesOnly(expression: string, { text, start, end }: TextRange, before: number): boolean {
  const value = text.slice(start, end);
  const matches = [...text.matchAll(new RegExp(expression, "g"))];
  return matches.every(([, group]) => group === value) &&
    matches.some(({ index }) => index === start - before);
}
