import { alignAttributes } from "./align_attributes.ts";
import { alignWords, type WordPair } from "./align_words.ts";
import type { KnownPairs } from "./known_pairs.ts";
import { type Gap, type Match, matchSequences } from "./match_sequences.ts";
import { chunkSkeleton, splitChunks, type TextChunk } from "./text_chunks.ts";

/**
 * Finds the values that differ between two strings of the same kind, such as a recorded page and
 * the live page. Aligns the strings by their unchanged tags and words, in time `O(n log n)`.
 * Recorded values whose live value is in `known` do not count as different.
 */
export function alignText(recorded: string, live: string, known: KnownPairs): WordPair[] {
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

/**
 * Pairs the elements of two unmatched ranges in order. Returns an empty list if the ranges have
 * different lengths.
 */
function pairUp({ a: [aStart, aEnd], b: [bStart, bEnd] }: Gap): Match[] {
  if (aEnd - aStart !== bEnd - bStart) return [];
  return Array.from({ length: aEnd - aStart }, (_, i) => [aStart + i, bStart + i]);
}

function comparePair([i, j]: Match, { chunks, expected, liveChunks }: AlignedTexts): WordPair[] {
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

/**
 * Assigns a number to each distinct string. Sequences of numbers can be compared faster than
 * sequences of strings.
 */
class ElementIds {
  readonly #ids = new Map<string, number>();

  idOf(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(text, id);
    return id;
  }
}

/**
 * Reports whether index `index` of the sequence `side` is in one of the unmatched ranges `gaps`,
 * which are in ascending order.
 */
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
