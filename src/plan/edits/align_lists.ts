import { type ComparedItem as Item, comparedItem, type PlanPlace } from "./compared_item.ts";

/** Indexes of two versions of the same item: in the earlier list and in the later list. */
export type ItemPair = readonly [before: number, after: number];

/** Maximum number of cells in the score table for two lists. */
const MAX_CELLS = 4_000_000;

/**
 * Scores for pairing two items of ordered lists. The pairs with the highest total score are
 * selected.
 */
const SCORES = { equal: 10, equalContent: 9, sameLabel: 4 };

/**
 * Pairs the items of two lists that are versions of the same item. Prefers pairs of equal items to
 * pairs of items that only have the same label. If the items are unordered, then pairs the
 * remaining items that have the same content. If they are ordered, as steps are, also pairs the
 * items between two consecutive pairs, provided that both lists have the same number and kinds of
 * items there. The pairs are sorted by their index in `before`. Pairs of ordered items are also in
 * the order of `after`, so that a moved step has no pair.
 */
export function alignLists(
  before: readonly unknown[],
  after: readonly unknown[],
  place: Pick<PlanPlace, "content" | "isUnordered">,
): ItemPair[] {
  const [a, b] = [before, after].map((list) => list.map((item) => comparedItem(item, place)));
  if (place.isUnordered) return unordered(a, b);
  return withGaps(bestSubsequence(a, b), a, b);
}

function unordered(a: readonly Item[], b: readonly Item[]): ItemPair[] {
  let pairs: ItemPair[] = [];
  const texts: ((item: Item) => string | undefined)[] = [
    ({ value }) => value,
    ({ text }) => text,
    ({ content }) => content,
  ];
  for (const text of texts) {
    const [knownA, knownB] = [0, 1].map((side) => new Set(pairs.map((pair) => pair[side])));
    const [restA, restB] = [unpaired(a, knownA, text), unpaired(b, knownB, text)];
    const found = sameTexts(restA.map(({ text }) => text), restB.map(({ text }) => text));
    pairs = [...pairs, ...found.map(([i, j]) => [restA[i].at, restB[j].at] as const)];
  }
  return pairs.sort(([i], [j]) => i - j);
}

interface Unpaired {
  readonly at: number;
  readonly text: string;
}

function unpaired(
  items: readonly Item[],
  known: ReadonlySet<number>,
  text: (item: Item) => string | undefined,
): Unpaired[] {
  return items.flatMap((item, at) => {
    const own = text(item);
    return known.has(at) || own === undefined ? [] : [{ at, text: own }];
  });
}

function sameTexts(a: readonly string[], b: readonly string[]): ItemPair[] {
  const places = new Map<string, number[]>();
  b.forEach((text, j) => places.getOrInsert(text, []).push(j));
  const used = new Map<string, number>();
  return a.flatMap((text, i) => {
    const nth = used.get(text) ?? 0;
    used.set(text, nth + 1);
    const j = places.get(text)?.[nth];
    return j === undefined ? [] : [[i, j] as const];
  });
}

/**
 * Pairs equal items from the start and from the end of both lists, and selects the best pairs of
 * the items in the middle. In long lists, pairs those by their labels only.
 */
function bestSubsequence(a: readonly Item[], b: readonly Item[]): ItemPair[] {
  let start = 0;
  let [endA, endB] = [a.length, b.length];
  while (start < endA && start < endB && a[start].value === b[start].value) start++;
  while (endA > start && endB > start && a[endA - 1].value === b[endB - 1].value) {
    endA--;
    endB--;
  }
  const [restA, restB] = [a.slice(start, endA), b.slice(start, endB)];
  const rest = restA.length * restB.length <= MAX_CELLS
    ? highest(restA, restB)
    : increasing(sameTexts(restA.map(({ text }) => text), restB.map(({ text }) => text)));
  return [
    ...Array.from({ length: start }, (_, i): ItemPair => [i, i]),
    ...rest.map(([i, j]): ItemPair => [start + i, start + j]),
    ...Array.from({ length: a.length - endA }, (_, i): ItemPair => [endA + i, endB + i]),
  ];
}

function highest(a: readonly Item[], b: readonly Item[]): ItemPair[] {
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const score = pairScore(a[i], b[j]);
      best[i * width + j] = Math.max(
        score === 0 ? 0 : best[(i + 1) * width + j + 1] + score,
        best[(i + 1) * width + j],
        best[i * width + j + 1],
      );
    }
  }
  const pairs: ItemPair[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const score = pairScore(a[i], b[j]);
    const isBest = best[i * width + j] === best[(i + 1) * width + j + 1] + score;
    if (score > 0 && isBest) pairs.push([i++, j++]);
    else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
    else j++;
  }
  return pairs;
}

function pairScore(a: Item, b: Item): number {
  if (a.text !== b.text) return 0;
  if (a.value === b.value) return SCORES.equal;
  return a.unnumbered === b.unnumbered ? SCORES.equalContent : SCORES.sameLabel;
}

function increasing(pairs: readonly ItemPair[]): ItemPair[] {
  let last = -1;
  return pairs.filter(([, j]) => j > last && (last = j, true));
}

/**
 * Adds pairs for the items between consecutive pairs if both lists have the same number and kinds
 * of items there. The labels of such items differ, for example because a URL changed.
 */
function withGaps(
  pairs: readonly ItemPair[],
  a: readonly Item[],
  b: readonly Item[],
): ItemPair[] {
  const added = gaps(pairs, a.length, b.length).flatMap(({ before: [i, end], after: [j, to] }) => {
    const isSame = end - i === to - j &&
      a.slice(i, end).every(({ sort }, k) => sort === b[j + k].sort);
    return isSame ? Array.from({ length: end - i }, (_, k): ItemPair => [i + k, j + k]) : [];
  });
  return [...pairs, ...added].sort(([i], [j]) => i - j);
}

/**
 * Consecutive items that have no counterpart in the other version of a list. `before` and `after`
 * are the ranges `[from, to)` at the same position in the two versions.
 */
export interface Gap {
  readonly before: readonly [from: number, to: number];
  readonly after: readonly [from: number, to: number];
}

/** Returns the gaps before, between and after `pairs`, which must be in the order of both lists. */
export function gaps(
  pairs: readonly ItemPair[],
  beforeLength: number,
  afterLength: number,
): Gap[] {
  const all: Gap[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...pairs, [beforeLength, afterLength] as const]) {
    if (nextI > i || nextJ > j) all.push({ before: [i, nextI], after: [j, nextJ] });
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return all;
}
