import { chunkSkeleton } from "../correlation/align_text.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { matchSequences } from "../correlation/match.ts";
import type { JsonPath } from "../correlation/views.ts";
import { looksGenerated } from "../traffic/session/dynamic_value.ts";
import { readMarkup, type VisibleText } from "./read_markup.ts";

/**
 * How the content of a live response differs from the recorded content:
 *
 * - `empty list`: a list or an object has no items, but had some in the recording
 * - `empty text`: a string is empty that was not empty in the recording
 * - `refusal`: a string that does not occur in the recording reads like a refusal
 * - `other`: a string or another value differs or is missing
 */
export type ContentKind = "empty list" | "empty text" | "refusal" | "other";

/** Kinds in the order in which reports list them, most important first. */
export const CONTENT_KINDS: readonly ContentKind[] = [
  "empty list",
  "empty text",
  "refusal",
  "other",
];

/**
 * A place in a response where the live content differs from the recorded content, although the
 * response has the recorded status, media type and redirect target, and is not a different page.
 * Contains recorded and live text.
 */
export interface ContentDifference {
  readonly kind: ContentKind;
  /**
   * Place of the difference: a JSONPath such as `$.items[0].state`, an element such as `<td>`, or a
   * header such as `header link`.
   */
  readonly place: string;
  /** Recorded content, or the number of items. Empty if the recording has no such content. */
  readonly recorded: string;
  /** Live content, or the number of items. Empty if the content is missing. */
  readonly live: string;
  /** Path of a list in a JSON body. Only for the kind `empty list`. */
  readonly path?: JsonPath;
}

/** Matches the path of a string in a list item, a table row or an option. */
const IN_ITEM = /^.*\/(?:li|option|tr(?=\/td(?:\/|$)))(?=\/|$)/;

/** A visible string, and the shape of its content, which is used for comparisons. */
interface Content extends Pick<VisibleText, "text" | "path"> {
  readonly shape: string;
}

/**
 * Finds the visible strings of a recorded page, or of an XML document if `xml` is true, that the
 * live document does not contain, and the lists that are empty in the live document. Ignores
 * generated values, additional strings and strings that only moved. Recorded values whose live
 * value is in `known` do not count as different.
 */
export function findMarkupContent(
  recorded: string,
  live: string,
  xml: boolean,
  known: KnownPairs,
): ContentDifference[] {
  if (recorded === live) return [];
  const texts = readMarkup(recorded, xml).texts.map((one) =>
    toContent(one, known.toLive(one.text))
  );
  const liveTexts = readMarkup(live, xml).texts.map((one) => toContent(one, one.text));
  const isLive = contained(liveTexts);
  const emptied = emptiedLists(texts, liveTexts, isLive);
  const items = new Set(emptied.flat());
  return [
    ...emptied.map((own): ContentDifference => ({
      kind: "empty list",
      place: elementOf(itemPath(own[0])!),
      recorded: own.map(({ text }) => text).join(" "),
      live: "",
    })),
    ...differingTexts(texts, liveTexts, elementOf).filter(({ item }) => !items.has(item))
      .map(({ difference }) => difference),
  ];
}

/**
 * Finds the lines of recorded plain text that the live text does not contain. Ignores the same
 * differences as `findMarkupContent`.
 */
export function findTextContent(
  recorded: string,
  live: string,
  known: KnownPairs,
): ContentDifference[] {
  if (recorded === live) return [];
  const lines = (text: string) =>
    text.split("\n").map((line, i) => ({ text: line.trim(), path: `line ${i + 1}` }));
  const texts = lines(recorded).map((one) => toContent(one, known.toLive(one.text)));
  const liveTexts = lines(live).map((one) => toContent(one, one.text));
  return differingTexts(texts, liveTexts, (path) => path).map(({ difference }) => difference);
}

function toContent({ text, path }: Pick<VisibleText, "text" | "path">, expected: string): Content {
  return { text, path, shape: contentShape(expected) };
}

function contained(texts: readonly Content[]): (shape: string) => boolean {
  const shapes = new Set(texts.map(({ shape }) => shape));
  return (shape) => shapes.has(shape);
}

/**
 * Finds the recorded lists whose items are all missing from the live document, and returns each
 * list's strings.
 */
function emptiedLists(
  texts: readonly Content[],
  liveTexts: readonly Content[],
  isLive: (shape: string) => boolean,
): Content[][] {
  const live = new Set(liveTexts.map(itemPath));
  const lists = Map.groupBy(texts, itemPath);
  lists.delete(undefined);
  return [...lists].filter(([path, own]) => {
    const named = own.filter(({ shape }) => hasWords(shape));
    return !live.has(path) && named.length > 0 && !named.some(({ shape }) => isLive(shape));
  }).map(([, own]) => own);
}

function itemPath({ path }: Content): string | undefined {
  return IN_ITEM.exec(path)?.[0];
}

function elementOf(path: string): string {
  return `<${path.slice(path.lastIndexOf("/") + 1)}>`;
}

/**
 * Returns the recorded strings that the live document does not contain, each with the live string
 * in its place, or with an empty string if it is unclear which live string that is.
 */
function differingTexts(
  texts: readonly Content[],
  liveTexts: readonly Content[],
  placeOf: (path: string) => string,
): { readonly item: Content; readonly difference: ContentDifference }[] {
  const ids = new Map<string, number>();
  const idOf = ({ shape }: Content) => {
    if (!ids.has(shape)) ids.set(shape, ids.size);
    return ids.get(shape)!;
  };
  const { gaps } = matchSequences(texts.map(idOf), liveTexts.map(idOf));
  if (gaps.length === 0) return [];
  const [isLive, isRecorded] = [contained(liveTexts), contained(texts)];
  return gaps.flatMap(({ a, b }) => {
    const missing = texts.slice(...a).filter(({ shape }) => hasWords(shape) && !isLive(shape));
    const added = liveTexts.slice(...b).filter(({ shape }) => !isRecorded(shape));
    const isPaired = missing.length === added.length;
    return missing.flatMap((item, i) => {
      const live = isPaired ? added[i].text : "";
      if (isPaired && sameContent(item.text, live)) return [];
      const place = placeOf(item.path);
      return [{ item, difference: { kind: "other" as const, place, recorded: item.text, live } }];
    });
  });
}

/** Matches words in dates and times: weekdays, months, `AM`, `PM`, `UTC` and `GMT`. */
const DATE_WORD =
  /\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|AM|PM|UTC|GMT)\b/gi;
/** Matches times relative to now, in text whose numbers have been replaced with `#`. */
const RELATIVE_TIME =
  /\b(?:just now|moments? ago|today|yesterday|tomorrow)\b|(?:\b(?:about|over|almost|less than|in)\s+){0,3}(?:#|\ban?\b)\s*(?:milli|micro)?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|ms|s|m|h|d)\b(?:\s+ago\b)?/gi;
/** Matches the plural ending of a word after a number. */
const PLURAL = /(?<=# \p{L}{2,})s\b/gu;
const JOINED = /#(?:[\s\-_.,:;/~%=+()]*#)+/g;

/** Matches words that are long enough to be ids. */
const WORD = /[A-Za-z0-9]{5,}/g;
/** Matches letters that no word contains. */
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6}/i;
/** Matches text that may be base64. Also matches paths and long words. */
const BASE64 = /[\w+/-]{16,}={0,2}/g;
/**
 * Matches a letter or digit that follows one of a different kind. This is frequent in base64 and
 * rare in words.
 */
const CHANGE = /(?<=[a-z])[A-Z\d]|(?<=[A-Z])[a-z\d]|(?<=\d)[A-Za-z]/g;

/**
 * Returns text with `#` in place of everything that may differ each time a server generates it:
 * numbers, ids, tokens, dates and times. Two strings with the same shape have the same content.
 */
export function contentShape(text: string): string {
  const shape = text.replace(BASE64, (found) => isBase64(found) ? "#" : found)
    .replace(WORD, (word) => isGenerated(word) ? "#" : word);
  return chunkSkeleton(shape).replace(DATE_WORD, "#").replace(RELATIVE_TIME, "#")
    .replace(JOINED, "#").replace(PLURAL, "").replace(/\s+/g, " ").trim();
}

function isGenerated(word: string): boolean {
  return looksGenerated(word) || (word.length >= 10 && CONSONANTS.test(word));
}

/** Reports whether text that matches `BASE64` is base64 rather than a path or words. */
function isBase64(text: string): boolean {
  if (text.endsWith("=")) return true;
  const changes = text.match(CHANGE)?.length ?? 0;
  return /\d/.test(text) && changes * 20 >= text.length * 7;
}

/** Reports whether a shape contains words. Generated values rarely contain any. */
export function hasWords(shape: string): boolean {
  return /\p{L}{2}/u.test(shape);
}

/** Reports whether two strings have the same content (see `contentShape`). */
export function sameContent(recorded: string, live: string): boolean {
  if (recorded === live) return true;
  const [shape, liveShape] = [contentShape(recorded), contentShape(live)];
  if (shape === liveShape) return true;
  // Some generated values, such as `deadbeef`, look like words.
  const isToken = /^[\w-]+$/.test(recorded) && /^[\w-]+$/.test(live);
  return isToken && recorded.length === live.length && !(hasWords(shape) && hasWords(liveShape));
}
