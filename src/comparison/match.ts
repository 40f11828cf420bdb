import { isMap } from "../base/exact_number.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import type { KnownPairs } from "./known_pairs.ts";

/** A match of two elements: their indexes in the first and in the second sequence. */
export type Match = readonly [a: number, b: number];

/** An unmatched range in each of two sequences. The ends are exclusive. */
export interface Gap {
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

/** Matches of two sequences in ascending order, and the gaps between them. */
export interface SequenceMatches {
  readonly matches: readonly Match[];
  readonly gaps: readonly Gap[];
}

/**
 * Maximum depth to which `matchSequences` searches the ranges between matches for further matches.
 * It limits the time to `O(n log n)`.
 */
const DEEPEST_RANGE = 16;

/**
 * Matches equal elements of `a` and `b` in the ranges `within`, in order (patience diff). First
 * matches the common start and end, then elements that occur once in both ranges. Repeats these
 * steps between the matches.
 */
export function matchSequences(
  a: readonly number[],
  b: readonly number[],
  within: Gap = { a: [0, a.length], b: [0, b.length] },
): SequenceMatches {
  const matches: Match[] = [];
  const gaps: Gap[] = [];
  const stack: [gap: Gap, depth: number][] = [[within, 0]];
  while (stack.length > 0) {
    const [gap, depth] = stack.pop()!;
    let [aStart, aEnd] = gap.a;
    let [bStart, bEnd] = gap.b;
    while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
      matches.push([aStart++, bStart++]);
    }
    while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
      matches.push([--aEnd, --bEnd]);
    }
    if (aStart === aEnd && bStart === bEnd) continue;
    const rest: Gap = { a: [aStart, aEnd], b: [bStart, bEnd] };
    const anchors = depth < DEEPEST_RANGE ? findAnchors(a, b, rest) : [];
    if (anchors.length === 0) {
      gaps.push(rest);
      continue;
    }
    matches.push(...anchors);
    let [aDone, bDone] = [aStart, bStart];
    for (const [i, j] of [...anchors, [aEnd, bEnd] as const]) {
      if (i > aDone || j > bDone) stack.push([{ a: [aDone, i], b: [bDone, j] }, depth + 1]);
      [aDone, bDone] = [i + 1, j + 1];
    }
  }
  return {
    matches: matches.sort(([i], [j]) => i - j),
    gaps: gaps.sort((x, y) => x.a[0] - y.a[0] || x.b[0] - y.b[0]),
  };
}

/**
 * Returns the longest ascending list of matches between elements that occur exactly once in each of
 * the two ranges of `gap`.
 */
function findAnchors(a: readonly number[], b: readonly number[], gap: Gap): Match[] {
  const inA = uniqueIndexes(a, gap.a);
  const inB = uniqueIndexes(b, gap.b);
  const both: Match[] = [];
  for (const [element, i] of inA) {
    const j = inB.get(element);
    if (i >= 0 && j !== undefined && j >= 0) both.push([i, j]);
  }
  return longestAscending(both);
}

/** Maps each element in the given range to its index, or to -1 if it occurs more than once. */
function uniqueIndexes(
  elements: readonly number[],
  [start, end]: readonly [number, number],
): Map<number, number> {
  const indexes = new Map<number, number>();
  for (let i = start; i < end; i++) {
    indexes.set(elements[i], indexes.has(elements[i]) ? -1 : i);
  }
  return indexes;
}

/** Returns the longest sublist of `matches` in which the second index ascends. */
function longestAscending(matches: readonly Match[]): Match[] {
  const tails: number[] = []; // index of the match that ends the best list of each length
  const previous: number[] = [];
  matches.forEach(([, b], i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (matches[tails[middle]][1] < b) low = middle + 1;
      else high = middle;
    }
    previous[i] = low > 0 ? tails[low - 1] : -1;
    tails[low] = i;
  });
  const longest: Match[] = [];
  for (let i = tails.at(-1) ?? -1; i >= 0; i = previous[i]) longest.push(matches[i]);
  return longest.reverse();
}

/** Maximum nesting depth of the members that are compared to match list items. */
const DEEPEST_MEMBER = 3;
/**
 * Maximum number of live items that may have the same value of a member. If more items have it, the
 * member is ignored, because it does not identify an item.
 */
const MOST_SHARED = 8;

/**
 * Matches the items of a recorded JSON list with those of a live list, which may be in a different
 * order or contain additional items. Items match by the values that they share, after replacing
 * known values. Matches the remaining items in order if both lists have the same number of them.
 */
export function matchItems(
  recorded: readonly unknown[],
  live: readonly unknown[],
  known: KnownPairs,
): Match[] {
  const byTrait = new Map<string, number[]>();
  live.forEach((item, j) => {
    for (const trait of traitsOf(item, (text) => text)) {
      const holders = byTrait.getOrInsertComputed(trait, () => []);
      if (holders.length <= MOST_SHARED) holders.push(j);
    }
  });
  const taken = new Set<number>();
  const matches: Match[] = [];
  const rest: number[] = [];
  recorded.forEach((item, i) => {
    const expected = (text: string) => known.liveOf(text) ?? known.toLive(text);
    const j = bestMatch(traitsOf(item, expected), byTrait, taken, i);
    if (j === undefined) rest.push(i);
    else {
      taken.add(j);
      matches.push([i, j]);
    }
  });
  const liveRest = live.flatMap((_, j) => taken.has(j) ? [] : [j]);
  if (rest.length === liveRest.length) rest.forEach((i, k) => matches.push([i, liveRest[k]]));
  return matches.sort(([a], [b]) => a - b);
}

/**
 * Returns the index of the unmatched live item that best matches `traits`, the members of a
 * recorded item. A member counts more if fewer live items have it. Among equally good items,
 * prefers the one at the same index. Returns undefined if no item has any of the members.
 */
function bestMatch(
  traits: ReadonlySet<string>,
  byTrait: ReadonlyMap<string, readonly number[]>,
  taken: ReadonlySet<number>,
  index: number,
): number | undefined {
  const scores = new Map<number, number>();
  for (const trait of traits) {
    const holders = byTrait.get(trait) ?? [];
    if (holders.length > MOST_SHARED) continue;
    for (const j of holders) {
      if (!taken.has(j)) scores.set(j, (scores.get(j) ?? 0) + 1 / holders.length);
    }
  }
  let best: number | undefined;
  let bestScore = 0;
  for (const [j, score] of scores) {
    if (score < bestScore || (score === bestScore && j !== index)) continue;
    [best, bestScore] = [j, score];
  }
  return best;
}

/** Returns the members of an item as `path=value`, with values converted by `convert`. */
function traitsOf(item: unknown, convert: (text: string) => string): Set<string> {
  const traits = new Set<string>();
  const visit = (value: unknown, path: string, depth: number) => {
    if (isMap(value) && depth < DEEPEST_MEMBER) {
      for (const [name, member] of Object.entries(value)) {
        visit(member, `${path}.${name}`, depth + 1);
      }
      return;
    }
    const text = leafText(value);
    if (text !== undefined && text !== "") traits.add(`${path}=${convert(text)}`);
  };
  visit(item, "", 0);
  return traits;
}
