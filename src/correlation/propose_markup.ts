import { escapeRegex } from "../base/string_escapes.ts";
import { attributeSelector, findDefaultOptions } from "../extract/forms.ts";
import type { NamelessExtractor } from "../extract/extractors.ts";
import { rowsIn, shownTexts, showsText, type TextRange } from "../extract/rows.ts";
import { literal } from "../plan/text/template.ts";
import { markupAt, type MarkupPlace } from "./markup_view.ts";
import { changingParts, changingTextExtractors, type Known, wordAfter } from "./propose_text.ts";
import type { Occurrence } from "./views.ts";

const IDENTIFYING = ["name", "id", "property", "data-id", "data-name", "rel"];
/** How far before and after a value to search for its row, in UTF-16 code units. */
const AROUND = 16_384;
/**
 * Maximum length, in UTF-16 code units, of an extractor's left boundary: text before the value in
 * its row.
 */
const LONGEST_CONTEXT = 60;

/**
 * Proposes CSS extractors for a value that is a whole attribute, the whole text of an element, or
 * the default option of a `<select>`, best first. The element is found by an attribute that
 * identifies it, or by having the attribute.
 */
export function* markupExtractors(
  { view, start, end }: Occurrence,
  known: Known,
): Generator<NamelessExtractor> {
  if (isInOption({ view, start, end })) {
    const option = findDefaultOptions(view.text)?.find(({ at }) => at === start);
    if (option !== undefined) yield option.extractor;
  }
  const place = markupAt(view.response, view.text, { start, end });
  if (place === undefined) return;
  const { element, attribute } = place;
  const isText = attribute === undefined;
  if (isText && !view.text.slice(end).trimStart().startsWith("</")) return;
  const options = isText ? trimmed(view.text, start, end) : { attribute };
  for (const selector of selectors(place, known, view.text.slice(start, end))) {
    yield { type: "css", expression: selector, ...options };
  }
  if (!isText) yield { type: "css", expression: `${element}[${cssName(attribute)}]`, ...options };
}

/** Reports whether an occurrence is in the start tag of an option, or in the text after it. */
export function isInOption({ view: { text }, start }: Occurrence): boolean {
  const tag = text.lastIndexOf("<", start);
  return /^<option\b/i.test(text.slice(tag, tag + 8));
}

/** Returns the transform that removes the white space around the text of an element, if any. */
function trimmed(text: string, start: number, end: number): { transform?: ["trim"] } {
  const isPadded = /\s/.test(text[start - 1] ?? "") || /\s/.test(text[end] ?? "");
  return isPadded ? { transform: ["trim"] } : {};
}

function* selectors(
  { element, attributes, attribute }: MarkupPlace,
  known: Known,
  sought: string,
): Generator<string> {
  for (const name of IDENTIFYING) {
    const value = attributes[name] ?? "";
    if (
      value === "" || name === attribute || /[\p{Cc}]|\d{4}/u.test(value) || known.changing(value)
    ) continue;
    // As `item-7` does for the value 7, and a name for the id that is equal to it.
    if (value === sought || value.split(/[^A-Za-z0-9]/).includes(sought)) continue;
    yield attributeSelector(element, name, value);
  }
}

function cssName(name: string): string {
  return name.replace(/[^\w-]/g, "\\$&");
}

/**
 * Proposes extractors for a value in the row of a list, by a string that the user typed and that
 * the row shows. Unlike a position, the string identifies the row even if rows of other users
 * precede it. First proposes strings that no other row shows, because a string that several rows
 * share, such as a tag, may later identify the wrong row.
 */
export function* inRowExtractors(
  { view: { text }, start, end }: Occurrence,
  known: Known,
): Generator<NamelessExtractor> {
  const from = Math.max(0, start - AROUND);
  const near = text.slice(from, start + AROUND);
  const at = start - from;
  const shared: string[] = [];
  const rows = rowsIn(near);
  for (const row of rows) {
    if (row.start > at || at >= row.end) continue;
    const propose = function* (shown: string): Generator<NamelessExtractor> {
      for (const extractor of rowExtractors(near, row, at, text.slice(start, end), known)) {
        yield { ...extractor, row: literal(shown) } as NamelessExtractor;
      }
    };
    const texts = [...shownTexts(near.slice(row.start, row.end))];
    const whole = texts.filter(known.typed);
    const typed = whole.length > 0 ? whole : texts.filter((text) => known.joined?.(text));
    if (typed.length === 0) continue;
    const others = rows.filter((other) => other.end <= row.start || other.start >= row.end);
    for (const shown of typed) {
      const isShared = others.some((other) => showsText(near.slice(other.start, other.end), shown));
      if (!isShared) yield* propose(shown);
      else if (whole.length > 0) shared.push(shown);
    }
    for (const shown of shared.splice(0)) yield* propose(shown);
  }
}

/** Maximum number of words of a link that are tried to tell it from others in the same row. */
const MOST_WORDS = 8;

/**
 * Yields extractors for `value`, which is in the given row at offset `at` in `text`. Extractors
 * that use less text before the value come first. Use them with the `row` option, which restricts
 * the search to the row.
 */
function* rowExtractors(
  text: string,
  { start, end }: TextRange,
  at: number,
  value: string,
  known: Known,
): Generator<NamelessExtractor> {
  const right = text[at + value.length];
  if (right === undefined || value.includes(right)) return;
  const context = text.slice(Math.max(start, at - LONGEST_CONTEXT), at);
  const changing = changingParts(context, 1, known).at(-1)?.[1] ?? 0;
  for (const { index } of [...context.matchAll(/(?<![\w.-])[\w.-]+|[^\w.\s-]/g)].toReversed()) {
    if (index < changing) break;
    const left = context.slice(index);
    if (!/[\w.-]/.test(left[0]) && left !== context) continue;
    yield { type: "boundary", left, right };
    yield wordAfter(left);
  }
  yield* byWordOfLink(text.slice(start, at), known);
  const inRow = { text: text.slice(start, end), start: at - start, end: at - start + value.length };
  yield* changingTextExtractors([inRow], known);
}

/** Matches the name of a parameter before its value, at the end of a link. */
const PARAMETER = /[\w.-]+=$/;
const AROUND_LINK = ['"', "'", "<", ">", " ", "\n"];

/**
 * Yields extractors for the value of a parameter by a word of its link, such as `delete`: another
 * link of the row may have an equal parameter, and what is between them may change.
 */
function* byWordOfLink(before: string, known: Known): Generator<NamelessExtractor> {
  const name = PARAMETER.exec(before.slice(-LONGEST_CONTEXT))?.[0];
  if (name === undefined) return;
  const from = Math.max(...AROUND_LINK.map((one) => before.lastIndexOf(one))) + 1;
  const link = before.slice(from, -name.length).replace(/^[a-z]+:\\?\/\\?\/[^/\\]*/i, "");
  for (const [word] of link.matchAll(/[/?&;=][\w.-]*[A-Za-z][\w.-]*/g).take(MOST_WORDS)) {
    if (changingParts(word, 1, known).length > 0) continue;
    const { expression } = wordAfter(name);
    const between = `(?![\\w.-])[^"'<>\\s]{0,512}?`;
    yield { type: "regex", expression: escapeRegex(word) + between + expression };
  }
}
