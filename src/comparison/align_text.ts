import { UUID } from "../base/random.ts";
import { decodeHtml } from "../extract/parse_html.ts";
import type { KnownPairs } from "./known_pairs.ts";
import { type Gap, type Match, matchSequences } from "./match.ts";

/** A pair of corresponding substrings that differ, and their UTF-16 offsets in the two strings. */
export interface TextPair {
  readonly recorded: string;
  readonly live: string;
  readonly at: number;
  readonly liveAt: number;
  readonly encoded?: readonly [length: number, liveLength: number];
}

/**
 * Finds the values that differ between two strings of the same kind. Aligns them by their unchanged
 * tags and words, in time `O(n log n)`. Values with the live value in `known` do not differ.
 */
export function alignText(recorded: string, live: string, known: KnownPairs): TextPair[] {
  if (recorded === live) return [];
  const chunks = splitChunks(recorded);
  const liveChunks = splitChunks(live);
  const expected = chunks.map(({ text }) => known.toLive(text));
  const whole = new ElementIds();
  const a = expected.map((text) => whole.idOf(text));
  const b = liveChunks.map(({ text }) => whole.idOf(text));
  const { gaps } = matchSequences(a, b);
  if (gaps.length === 0) return [];
  const skeleton = new ElementIds();
  const texts = { chunks, expected, liveChunks };
  const a2 = expected.map((text, i) =>
    isInGap(gaps, "a", i) ? skeleton.idOf(chunkSkeleton(text)) : -1
  );
  const b2 = liveChunks.map(({ text }, i) =>
    isInGap(gaps, "b", i) ? skeleton.idOf(chunkSkeleton(text)) : -2
  );
  return gaps.flatMap((gap) => {
    const { matches, gaps: rest } = matchSequences(a2, b2, gap);
    return [...matches, ...rest.flatMap(pairUp)];
  }).flatMap((match) => comparePair(match, texts));
}

interface AlignedTexts {
  readonly chunks: readonly TextChunk[];
  readonly expected: readonly string[];
  readonly liveChunks: readonly TextChunk[];
}

/** Pairs the elements of two unmatched ranges of the same length in order. */
function pairUp({ a: [aStart, aEnd], b: [bStart, bEnd] }: Gap): Match[] {
  if (aEnd - aStart !== bEnd - bStart) return [];
  return Array.from({ length: aEnd - aStart }, (_, i) => [aStart + i, bStart + i]);
}

function comparePair([i, j]: Match, { chunks, expected, liveChunks }: AlignedTexts): TextPair[] {
  const chunk = chunks[i];
  const liveChunk = liveChunks[j];
  const attributes = alignAttributes(expected[i], liveChunk.text);
  return [...attributes, ...alignWords(expected[i], liveChunk.text)].flatMap((pair) => {
    // Replacing known values may have moved the offset.
    const at = expected[i] === chunk.text ? pair.at : chunk.text.indexOf(pair.recorded);
    if (at < 0) return []; // It is escaped, or next to a known value.
    return [{ ...pair, at: chunk.at + at, liveAt: liveChunk.at + pair.liveAt }];
  });
}

/** Assigns a number to each distinct string, because numbers can be compared faster. */
class ElementIds {
  readonly #ids = new Map<string, number>();

  idOf(text: string): number {
    return this.#ids.getOrInsert(text, this.#ids.size);
  }
}

/** `gaps` are in ascending order. */
function isInGap(gaps: readonly Gap[], side: "a" | "b", index: number): boolean {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gaps[middle][side][1] <= index) low = middle + 1;
    else high = middle;
  }
  return low < gaps.length && gaps[low][side][0] <= index;
}

interface TextChunk {
  readonly text: string;
  readonly at: number;
}

const CHUNK = /<[A-Za-z!/?][^<>]{0,4000}>|<[^<>\n;,{}]*>?|[^<>\n;,{}]+[>\n;,{}]?|[>\n;,{}]/g;

/** Splits HTML, script, JSON or any other text into small chunks, which join to the whole text. */
function splitChunks(text: string): TextChunk[] {
  return Array.from(text.matchAll(CHUNK), ({ 0: text, index }) => ({ text, at: index }));
}

const LONG_WORD = /[^\s"'<>&;,(){}[\]=]{16,}/g;

/** Returns a chunk with `#` in place of what a server could have generated. */
export function chunkSkeleton(text: string): string {
  return withoutValues(text.replace(LONG_WORD, (word) => isFixed(word) ? word : "#"));
}

function isFixed(word: string): boolean {
  return word.split(/[^A-Za-z0-9]+/).every((part) => part.length < 24 && !isRandom(part));
}

function isRandom(part: string): boolean {
  return part.length >= 12 && /\d/.test(part) && /[A-Za-z]/.test(part);
}

const WORDS = /[\s\\"'<>&;(){}[\]]+/;
/** Matches what separates the tokens of a word, such as path segments, or ends the word. */
const TOKENS = /[/?#=:@,|]+|[.!]+$/;
const PARTS = /[-_.~+%]+/;
/** Matches a token that contains a word, such as `image-86686-title`, but not a numeric date. */
const NAMED_TOKEN = /(?:^|[-_.~+%])[A-Za-z]{2,}(?:$|[-_.~+%])/;
const WHOLE_UUID = new RegExp(`^${UUID}$`);
const PART_VALUE = /^(?:\d{4,}|[0-9a-f]{16,})$/i;
/** Matches a date with a time. Its parts do not count as separate values. */
const TIMESTAMP =
  /\d{4}-\d\d-\d\d(?:[T_ -]|%20)\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/gi;
const LONGEST_VALUE = 4_096;

/**
 * Returns the differing words of two similar strings, the tokens of words (`123` in `/orders/123`)
 * and the ids in tokens (`86686` in `image-86686-title`), larger pairs of a place first.
 */
export function alignWords(recorded: string, live: string): TextPair[] {
  if (recorded === live) return [];
  const found: TextPair[] = [];
  const words = splitAlike(recorded, live, WORDS);
  if (words === undefined) return centerPair(recorded, live);
  for (const word of words) {
    if (word.recorded.length > LONGEST_VALUE || word.live.length > LONGEST_VALUE) continue;
    if (word.recorded !== "" && word.live !== "") found.push(word);
    const times = [...word.recorded.matchAll(TIMESTAMP)].map(({ 0: time, index }) => ({
      start: word.at + index,
      end: word.at + index + time.length,
    }));
    for (const token of piecesOf(word, TOKENS)) {
      if (times.some(({ start, end }) => isWithin(token, start, end))) continue;
      if (token.recorded !== word.recorded) found.push(token);
      if (!NAMED_TOKEN.test(token.recorded) || WHOLE_UUID.test(token.recorded)) continue;
      const parts = piecesOf(token, PARTS);
      const isIds = parts.every(({ recorded, live }) =>
        PART_VALUE.test(recorded) && PART_VALUE.test(live)
      );
      if (isIds && parts.length > 0 && parts[0].recorded !== token.recorded) found.push(...parts);
    }
  }
  return found;
}

function isWithin({ at, recorded }: TextPair, start: number, end: number): boolean {
  return at >= start && at + recorded.length <= end && recorded.length < end - start;
}

/** Splits both strings of a pair, and returns the pieces that differ and are empty in neither. */
function piecesOf(pair: TextPair, separator: RegExp): TextPair[] {
  return (splitAlike(pair.recorded, pair.live, separator) ?? [])
    .filter(({ recorded, live }) => recorded !== "" && live !== "")
    .map((piece) => ({
      ...piece,
      at: pair.at + piece.at,
      liveAt: pair.liveAt + piece.liveAt,
    }));
}

function splitAlike(recorded: string, live: string, separator: RegExp): TextPair[] | undefined {
  const splitter = new RegExp(`(${separator.source})`);
  const [pieces, livePieces] = [recorded.split(splitter), live.split(splitter)];
  if (pieces.length !== livePieces.length) return undefined;
  const pairs: TextPair[] = [];
  let [at, liveAt] = [0, 0];
  for (let i = 0; i < pieces.length; i++) {
    if (pieces[i] !== livePieces[i]) {
      if (i % 2 === 1) return undefined;
      pairs.push({ recorded: pieces[i], live: livePieces[i], at, liveAt });
    }
    at += pieces[i].length;
    liveAt += livePieces[i].length;
  }
  return pairs;
}

const DELIMITER = /[\s\\"'<>&;(){}[\]=]/;

/** Returns what differs between the common start and end, if it is a single word in both. */
function centerPair(recorded: string, live: string): TextPair[] {
  const shortest = Math.min(recorded.length, live.length);
  let start = 0;
  while (start < shortest && recorded[start] === live[start]) start++;
  let end = 0;
  while (end < shortest - start && recorded.at(-1 - end) === live.at(-1 - end)) end++;
  while (start > 0 && !DELIMITER.test(recorded[start - 1])) start--;
  while (end > 0 && !DELIMITER.test(recorded[recorded.length - end])) end--;
  const value = recorded.slice(start, recorded.length - end);
  const liveValue = live.slice(start, live.length - end);
  const isWord = [value, liveValue].every((word) =>
    word !== "" && word.length <= LONGEST_VALUE && !WORDS.test(word)
  );
  if (!isWord || start + end === 0) return [];
  return [{ recorded: value, live: liveValue, at: start, liveAt: start }];
}

const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Returns the decoded attributes of two tags that differ and contain character references. */
function alignAttributes(recorded: string, live: string): TextPair[] {
  if (recorded[0] !== "<" || !(recorded.includes("&") || live.includes("&"))) return [];
  const [attributes, liveAttributes] = [recorded, live].map((tag) => [...tag.matchAll(ATTRIBUTE)]);
  if (attributes.length !== liveAttributes.length) return [];
  return attributes.flatMap((match, i): TextPair[] => {
    const liveMatch = liveAttributes[i];
    const [value, liveValue] = [match, liveMatch].map((attribute) => attribute[2] ?? attribute[3]);
    const isEncoded = value.includes("&") || liveValue.includes("&");
    if (match[1] !== liveMatch[1] || value === liveValue || !isEncoded) return [];
    return [{
      recorded: decodeHtml(value),
      live: decodeHtml(liveValue),
      at: match.index + match[0].length - value.length - 1,
      liveAt: liveMatch.index + liveMatch[0].length - liveValue.length - 1,
      encoded: [value.length, liveValue.length],
    }];
  });
}

const UUIDS = new RegExp(UUID, "g");
const WITH_DIGIT = /[\p{L}\p{M}]*\d[\p{L}\p{M}\d]*/gu;
/** Matches letters that are probably random: three upper-case ones follow lower-case ones. */
const MIXED_CASE = /(?:[a-z]+[A-Z]+){3,}[A-Za-z]*/g;
const JOINED = /#(?:[-_.+~%=:#]+#)*/g;

/** Returns `text` with `#` in place of words with digits, UUIDs and random letters. */
export function withoutValues(text: string): string {
  return [UUIDS, WITH_DIGIT, MIXED_CASE, JOINED]
    .reduce((shown, values) => shown.replace(values, "#"), text);
}
