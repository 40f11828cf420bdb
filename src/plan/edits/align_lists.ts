import { ExactNumber, isMap, PlainScalar } from "../../base/exact_number.ts";
import { requestName, socketName } from "../kinds/request.ts";
import { STEPS } from "../kinds/steps.ts";

/** An item of a list, with the strings used to compare it with other items. */
interface Item extends ItemLabel {
  /** The whole value as text. Equal values have equal strings. */
  readonly value: string;
  /** The value as text, without the number of the recorded entry that the step replays. */
  readonly unnumbered: string;
}

/** `content` states what the list contains, as in `PlanPlace`. */
function comparedItem(item: unknown, { content }: Pick<PlanPlace, "content">): Item {
  const value = sortedText(item);
  if (content === "data") return { text: value, sort: "data", value, unnumbered: value };
  const label = labelItem(item);
  return { ...label, value, unnumbered: sortedText(withoutNumber(item)) };
}

function sortedText(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "";
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  const members = Object.entries(value).map(([key, part]) => [key, sorted(part)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => a < b ? -1 : 1));
}

/**
 * Without the number in the recording, which changes with an additional request before the step.
 */
function withoutNumber(item: unknown): unknown {
  if (!isMap(item)) return item;
  return Object.fromEntries(
    Object.entries(item).map(([kind, step]) => {
      if (!isMap(step) || !isMap(step.tags)) return [kind, step];
      const { recorded: _, ...tags } = step.tags;
      return [kind, { ...step, tags }];
    }),
  );
}

/** Label that identifies a list item across versions of a plan. */
export interface ItemLabel {
  /** Such as `GET /cart`. Items with the same name are versions of the same item. */
  readonly text: string;
  /** Labels of the steps in a choice, which identify it even if it was renamed. */
  readonly content?: string;
  /** Such as `request`. Only items of the same kind can be versions of the same item. */
  readonly sort: string;
}

/** Returns the label of a list item in a plan, such as a step, a choice or a threshold. */
export function labelItem(item: unknown): ItemLabel {
  if (typeof item === "string") return { text: item, sort: "text" };
  if (!isMap(item)) return { text: JSON.stringify(item), sort: "value" };
  const [kind] = Object.keys(item);
  if (Object.hasOwn(STEPS, kind)) return { text: stepText(kind, item[kind]), sort: kind };
  if (Array.isArray(item.steps)) {
    const content = item.steps.map((step) => labelItem(step).text).join(", ");
    const text = typeof item.name === "string" ? item.name : content;
    return { text, content, sort: "choice" };
  }
  const name = item.name ?? item.threshold ?? item.path ?? item.url;
  if (typeof item.type === "string" || typeof name === "string") {
    const text = [item.type, name].filter((part) => typeof part === "string").join(" ");
    return { text, sort: `type ${item.type}` };
  }
  return { text: JSON.stringify(item), sort: "map" };
}

function stepText(kind: string, value: unknown): string {
  if (!isMap(value)) return kind;
  const { name, url } = value;
  if (typeof url === "string") {
    const named = { ...value, url, name: typeof name === "string" ? name : undefined };
    return kind === "websocket"
      ? socketName(named)
      : requestName({ ...named, method: value.method as string | undefined });
  }
  return typeof name === "string" ? `${kind} ${name}` : kind;
}

/** A key whose value is undefined counts as absent. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if ([a, b].some((value) => value instanceof ExactNumber || value instanceof PlainScalar)) {
    return typeof a !== "string" && typeof b !== "string" && String(a) === String(b);
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => isSameValue(item, b[i]));
  }
  if (!isMap(a) || !isMap(b)) return Object.is(a, b);
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isSameValue(ownMember(a, key), ownMember(b, key)));
}

/** Returns the value of a key, or undefined if the map itself does not have it. */
export function ownMember(map: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** A location in a plan, and how values at this location are compared. */
export interface PlanPlace {
  /** The keys that lead to it, such as `scenarios.main.rate`; empty for the whole plan. */
  readonly text: string;
  /**
   * Part of the plan language, a map with user-defined keys, or data that the plan sends unchanged.
   */
  readonly content: "language" | "named" | "data";
  /** Determines the meaning of the value; empty for the plan, list items and user-defined keys. */
  readonly key: string;
  /** True if this location contains a list in which the order of the items has no meaning. */
  readonly isUnordered: boolean;
}

export const WHOLE_PLAN: PlanPlace = { text: "", content: "language", key: "", isUnordered: false };

/** Keys whose values are data that the plan sends or uses unchanged. */
const DATA = new Set([
  ...["body", "headers", "params", "tags", "hosts", "variables", "rows", "items", "set", "send"],
  ...["equals", "default"],
]);

/** Keys whose values are maps with user-defined names as keys. */
const NAMED = new Set(["scenarios", "data", "env", "secrets", "thresholds"]);

/** Keys whose values are lists, or maps of lists, in which the order of items has no meaning. */
const UNORDERED = new Set([
  ...["choices", "thresholds", "outputs", "extract", "assert", "checks"],
  ...["one_of", "expected_statuses", "constants"],
]);

/** Returns the location of the value of `key` in `map`. `place` is the location of `map`. */
export function memberPlace(
  place: PlanPlace,
  key: string,
  map: Record<string, unknown>,
): PlanPlace {
  const text = place.text === "" ? key : `${place.text}.${key}`;
  if (place.content === "data") return { ...place, text };
  if (place.content === "named") {
    const isUnordered = UNORDERED.has(place.key);
    return { text, content: "language", key: "", isUnordered };
  }
  const content = DATA.has(key) ? "data" : NAMED.has(key) ? "named" : "language";
  const isInTurn = key === "choices" && map.strategy === "round_robin";
  return { text, content, key, isUnordered: UNORDERED.has(key) && !isInTurn };
}

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
 * Pairs equal items at both ends, and the best pairs in the middle; in long lists, by label only.
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
