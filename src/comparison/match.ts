import { isMap } from "../base/exact_number.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import type { KnownPairs } from "./known_pairs.ts";

/** Indexes of matching elements in two sequences. */
export type Match = readonly [a: number, b: number];

/** An unmatched range in each of two sequences. The ends are exclusive. */
export interface Gap {
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

export interface SequenceMatches {
  readonly matches: readonly Match[];
  readonly gaps: readonly Gap[];
}

/** Maximum depth of searches between matches, which limits the time to `O(n log n)`. */
const DEEPEST_RANGE = 16;

/**
 * Matches equal elements of `a` and `b` in order (patience diff): the common start and end, then
 * elements that occur once in both ranges, then the same between these.
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

/** Longest ascending list of matches of elements that occur once in both ranges. */
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

/** Maps each element to its index, or to -1 if it occurs more than once. */
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
/** Most live items with the same value of a member. If more have it, it identifies no item. */
const MOST_SHARED = 8;

/** Matches items by the values that they share, after replacing known values, or in order. */
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

/** A trait counts more if fewer live items have it. Prefers `index` among equally good items. */
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

/** Returns the members of an item as `path=value`. */
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
