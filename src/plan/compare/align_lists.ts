import { type ItemLabel, labelItem } from "./item_label.ts";

/** Indexes of two versions of the same item: in the earlier list and in the later list. */
export type ItemPair = readonly [before: number, after: number];

/** Maximum number of cells of the table for the longest common subsequence. */
const MAX_CELLS = 4_000_000;

/**
 * Pairs the items of two lists that are versions of the same item. First, pairs items with the same
 * label. Then, for ordered items such as steps, pairs the items between two pairs if both lists
 * have the same number and kinds of items there. For other items, pairs the remaining items that
 * have the same content. The pairs are sorted by their index in `before`. Pairs of steps are also
 * in the order of `after`, so that a moved step has no pair.
 */
export function alignLists(before: readonly unknown[], after: readonly unknown[]): ItemPair[] {
  const [a, b] = [before.map(labelItem), after.map(labelItem)];
  if ([...a, ...b].some(({ isOrdered }) => !isOrdered)) return unordered(a, b);
  return withGaps(commonSubsequence(a, b), a, b);
}

/** Pairs items with the same label, and then the remaining items with the same content. */
function unordered(a: readonly ItemLabel[], b: readonly ItemLabel[]): ItemPair[] {
  const pairs = sameLabels(a, b);
  const [knownA, knownB] = [0, 1].map((side) => new Set(pairs.map((pair) => pair[side])));
  const [restA, restB] = [unpaired(a, knownA), unpaired(b, knownB)];
  const renamed = sameLabels(restA.map(contentLabel), restB.map(contentLabel));
  return [...pairs, ...renamed.map(([i, j]) => [restA[i].at, restB[j].at] as const)]
    .sort(([i], [j]) => i - j);
}

interface Unpaired {
  readonly at: number;
  readonly label: ItemLabel;
}

/**
 * Returns the items that have a `content` but no pair yet. `known` contains the indexes of the
 * items with a pair.
 */
function unpaired(labels: readonly ItemLabel[], known: ReadonlySet<number>): Unpaired[] {
  return labels.map((label, at) => ({ label, at }))
    .filter(({ label, at }) => !known.has(at) && label.content !== undefined);
}

function contentLabel({ label }: Unpaired): ItemLabel {
  return { ...label, text: label.content! };
}

/**
 * Pairs the n-th item with a label in one list with the n-th item with the same label in the other
 * list.
 */
function sameLabels(a: readonly ItemLabel[], b: readonly ItemLabel[]): ItemPair[] {
  const places = new Map<string, number[]>();
  b.forEach(({ text }, j) => {
    const known = places.get(text);
    if (known === undefined) places.set(text, [j]);
    else known.push(j);
  });
  return a.flatMap(({ text }, i) => {
    const j = places.get(text)?.shift();
    return j === undefined ? [] : [[i, j] as const];
  });
}

/** Returns a longest sequence of pairs with the same label, in the order of both lists. */
function commonSubsequence(a: readonly ItemLabel[], b: readonly ItemLabel[]): ItemPair[] {
  let start = 0;
  let [endA, endB] = [a.length, b.length];
  while (start < endA && start < endB && a[start].text === b[start].text) start++;
  while (endA > start && endB > start && a[endA - 1].text === b[endB - 1].text) {
    endA--;
    endB--;
  }
  const [n, m] = [endA - start, endB - start];
  const pairs: ItemPair[] = Array.from({ length: start }, (_, i) => [i, i]);
  const middle = n * m > MAX_CELLS
    ? increasing(sameLabels(a.slice(start, endA), b.slice(start, endB)))
    : longest(a.slice(start, endA), b.slice(start, endB));
  for (const [i, j] of middle) pairs.push([start + i, start + j]);
  for (let i = 0; endA + i < a.length; i++) pairs.push([endA + i, endB + i]);
  return pairs;
}

function longest(a: readonly ItemLabel[], b: readonly ItemLabel[]): ItemPair[] {
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = a[i].text === b[j].text
        ? best[(i + 1) * width + j + 1] + 1
        : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const pairs: ItemPair[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i].text === b[j].text) pairs.push([i++, j++]);
    else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
    else j++;
  }
  return pairs;
}

function increasing(pairs: readonly ItemPair[]): ItemPair[] {
  let last = -1;
  return pairs.filter(([, j]) => j > last && (last = j, true));
}

/**
 * Returns the pairs together with pairs of the items between them, if both lists have the same
 * number and kinds of items there. The labels of such items differ, for example because a URL
 * changed.
 */
function withGaps(
  pairs: readonly ItemPair[],
  a: readonly ItemLabel[],
  b: readonly ItemLabel[],
): ItemPair[] {
  const all: ItemPair[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...pairs, [a.length, b.length] as const]) {
    const isSame = nextI - i === nextJ - j &&
      a.slice(i, nextI).every(({ sort }, k) => sort === b[j + k].sort);
    if (isSame) { while (i < nextI) all.push([i++, j++]); }
    if (nextI < a.length) all.push([nextI, nextJ]);
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return all;
}
