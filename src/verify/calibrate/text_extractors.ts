import { escapeRegex } from "../../base/string_escapes.ts";
import type { NamelessExtractor } from "../../extract/extractors.ts";

/** A range of text, in UTF-16 code units. */
export interface TextRange {
  readonly text: string;
  readonly at: number;
  readonly length: number;
}

/** Maximum length, in UTF-16 code units, of the context before a value in an extractor. */
const LONGEST_LEFT = 120;
/** Maximum length, in UTF-16 code units, of the context after a value in an extractor. */
const LONGEST_RIGHT = 12;

/**
 * Proposes a boundary extractor, and a regular expression for the same value. If possible, the left
 * boundary starts at an identifier and occurs only once in each body.
 */
export function textExtractors(recorded: TextRange, live: TextRange): NamelessExtractor[] {
  const left = commonLeft(recorded, live);
  const right = commonRight(recorded, live);
  if (left === "") return [];
  const value = [recorded, live].map(({ text, at, length }) => text.slice(at, at + length));
  const boundary = shortestLeft(left, recorded, live);
  const end = [...right].findIndex((_, i) =>
    value.every((one) => !one.includes(right.slice(0, i + 1)))
  );
  const found: NamelessExtractor[] = [];
  if (end >= 0) {
    found.push({ type: "boundary", left: boundary, right: right.slice(0, end + 1) });
  }
  const expression = `${escapeRegex(boundary)}([^\\s"'<>&;,(){}[\\]\\\\]+)`;
  return [...found, { type: "regex", expression }];
}

function commonLeft(a: TextRange, b: TextRange): string {
  let length = 0;
  while (
    length < LONGEST_LEFT && length < a.at && length < b.at &&
    a.text[a.at - 1 - length] === b.text[b.at - 1 - length]
  ) length++;
  return a.text.slice(a.at - length, a.at);
}

function commonRight(a: TextRange, b: TextRange): string {
  const [from, liveFrom] = [a.at + a.length, b.at + b.length];
  let length = 0;
  while (
    length < LONGEST_RIGHT && from + length < a.text.length && liveFrom + length < b.text.length &&
    a.text[from + length] === b.text[liveFrom + length]
  ) length++;
  return a.text.slice(from, from + length);
}

/**
 * Returns the shortest suffix of `left` that starts at an identifier and occurs only once in each
 * text. Returns all of `left` if there is no such suffix.
 */
function shortestLeft(left: string, recorded: TextRange, live: TextRange): string {
  for (let from = left.length; from > 0;) {
    while (from > 0 && !/\w/.test(left[from - 1])) from--;
    while (from > 0 && /\w/.test(left[from - 1])) from--;
    const end = left.slice(from);
    if ([recorded, live].every(({ text, at }) => isUnique(text, end, at - end.length))) return end;
  }
  return left;
}

function isUnique(text: string, part: string, at: number): boolean {
  return text.indexOf(part) === at && text.indexOf(part, at + 1) < 0;
}
