import { isMap } from "../../base/exact_number.ts";
import type { Plan } from "../schema/plan.ts";
import {
  alignLists,
  isSameValue,
  type ItemPair,
  labelItem,
  memberPlace,
  ownMember,
  type PlanPlace,
  WHOLE_PLAN,
} from "./align_lists.ts";
import { durationMs } from "../../base/format.ts";
import { requestMethod } from "../kinds/request.ts";

/** The user edited the value, and conversion changed it. The merged plan keeps the edit. */
export interface MergeConflict {
  /** Location of the value in the plan, such as `scenarios.main.rate`. */
  readonly place: string;
  /** Value in the edited plan, or undefined if the user removed it. */
  readonly edited: unknown;
  /** Value in the newly converted plan, or undefined if that plan has no such value. */
  readonly converted: unknown;
}

/** A merged plan, and the conflicts found while merging. */
export interface Merged {
  readonly plan: Plan;
  readonly conflicts: readonly MergeConflict[];
}

/**
 * Merges the edits to a plan with a newly converted plan. `base` is the converted plan before the
 * edits, `edited` is the edited plan, and `converted` is the newly converted plan. A value that was
 * not edited is taken from `converted`. An edited value is kept, and is a conflict if it is also
 * different in `converted`.
 */
export function mergePlans(base: Plan, edited: Plan, converted: Plan): Merged {
  const merge = new Merge();
  const plan = merge.values({ base, edited, converted }, WHOLE_PLAN) as Plan;
  return { plan, conflicts: merge.conflicts };
}

/** Three versions of one value. A version is undefined if its plan has no such value. */
interface Versions {
  readonly base: unknown;
  readonly edited: unknown;
  readonly converted: unknown;
}

class Merge {
  readonly conflicts: MergeConflict[] = [];

  /** Returns the merged value, or undefined if the merged plan has no such value. */
  values({ base, edited, converted }: Versions, place: PlanPlace): unknown {
    if (isSameValue(edited, converted) || isSameValue(base, converted)) return edited;
    if (isSameValue(base, edited)) return converted;
    if (isMap(edited) && isMap(converted)) {
      return this.#maps(isMap(base) ? base : {}, edited, converted, place);
    }
    // Items of a data list have no names to merge them by.
    if (place.content !== "data" && Array.isArray(edited) && Array.isArray(converted)) {
      return this.#lists(Array.isArray(base) ? base : [], edited, converted, place);
    }
    this.conflicts.push({ place: place.text, edited, converted });
    return edited;
  }

  #maps(
    base: Record<string, unknown>,
    edited: Record<string, unknown>,
    converted: Record<string, unknown>,
    place: PlanPlace,
  ): Record<string, unknown> {
    const keys = new Set([...Object.keys(edited), ...Object.keys(converted)]);
    const members = [...keys].flatMap((key) => {
      const [b, e, c] = [base, edited, converted].map((map) => ownMember(map, key));
      const at = memberPlace(place, key, edited);
      const value = this.values({ base: b, edited: e, converted: c }, at);
      return value === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(members);
  }

  #lists(
    base: readonly unknown[],
    edited: readonly unknown[],
    converted: readonly unknown[],
    place: PlanPlace,
  ): unknown[] {
    const inPlace = alignLists(base, edited, place);
    const moved = movedItems(inPlace, base, edited);
    const baseOfEdited = inverse([...inPlace, ...moved]);
    const movedByHand = new Set(moved.map(([, e]) => e));
    const convertedInPlace = alignLists(base, converted, place);
    const convertedOfBase = new Map([
      ...convertedInPlace,
      ...movedItems(convertedInPlace, base, converted),
    ]);
    const editedOfBase = new Map([...baseOfEdited].map(([e, b]) => [b, e]));
    const added = this.#pairAdded(edited, converted, baseOfEdited, convertedOfBase, place);
    const placeOf = (item: unknown) => itemPlace(place, labelItem(item).text);
    const merged: unknown[] = [];
    /**
     * Maps the index of an item in `converted` to its index in `merged` or, if the merge drops the
     * item, to the index of the item before it.
     */
    const places = new Map<number, number>();
    edited.forEach((item, e) => {
      const b = baseOfEdited.get(e);
      const c = b === undefined ? added.get(e) : convertedOfBase.get(b);
      const versions = {
        base: b === undefined ? undefined : base[b],
        edited: item,
        converted: c === undefined ? undefined : converted[c],
      };
      const isRemoved = c === undefined && movedByHand.has(e);
      if (isRemoved) {
        this.conflicts.push({ place: placeOf(item).text, edited: item, converted: undefined });
      }
      // An item that only the edited plan has was added by hand.
      const value = isRemoved || b === undefined && c === undefined
        ? item
        : this.values(versions, placeOf(item));
      if (value !== undefined) merged.push(value);
      if (c !== undefined) places.set(c, merged.length - 1);
    });
    const baseOfConverted = inverse([...convertedOfBase]);
    const inserted = converted.flatMap((item, c) => {
      if (places.has(c)) return [];
      const b = baseOfConverted.get(c);
      if (b === undefined) return [{ item, c }];
      // Removed by hand: the removal is kept, and is a conflict if the conversion changed the item.
      if (!editedOfBase.has(b) && !isSameValue(base[b], item)) {
        this.conflicts.push({ place: placeOf(item).text, edited: undefined, converted: item });
      }
      return [];
    });
    return withInserted(merged, inserted, places);
  }

  #pairAdded(
    edited: readonly unknown[],
    converted: readonly unknown[],
    baseOfEdited: ReadonlyMap<number, number>,
    convertedOfBase: ReadonlyMap<number, number>,
    place: PlanPlace,
  ): Map<number, number> {
    const known = new Set(convertedOfBase.values());
    const e = edited.map((_, i) => i).filter((i) => !baseOfEdited.has(i));
    const c = converted.map((_, i) => i).filter((i) => !known.has(i));
    const pairs = alignLists(e.map((i) => edited[i]), c.map((i) => converted[i]), place);
    return new Map(
      pairs.filter(([i, j]) => labelItem(edited[e[i]]).text === labelItem(converted[c[j]]).text)
        .map(([i, j]) => [e[i], c[j]]),
    );
  }
}

function movedItems(
  pairs: readonly ItemPair[],
  before: readonly unknown[],
  after: readonly unknown[],
): ItemPair[] {
  const [lone, other] = [before, after].map((list, side) => {
    const paired = new Set(pairs.map((pair) => pair[side]));
    const places = Map.groupBy(list.keys(), (i) => labelItem(list[i]).text);
    const single = [...places].filter(([, [first, ...more]]) =>
      more.length === 0 && !paired.has(first)
    );
    return new Map(single.map(([text, [i]]) => [text, i]));
  });
  return [...lone].flatMap(([text, i]): ItemPair[] => {
    const j = other.get(text);
    return j === undefined ? [] : [[i, j]];
  });
}

function inverse(pairs: readonly (readonly [number, number])[]): Map<number, number> {
  return new Map(pairs.map(([a, b]) => [b, a]));
}

function withInserted(
  merged: readonly unknown[],
  inserted: readonly { readonly item: unknown; readonly c: number }[],
  places: ReadonlyMap<number, number>,
): unknown[] {
  const after = Map.groupBy(inserted, ({ c }) => {
    for (let before = c - 1; before >= 0; before--) {
      const at = places.get(before);
      if (at !== undefined) return at;
    }
    return -1;
  });
  const itemsAfter = (at: number) => (after.get(at) ?? []).map(({ item }) => item);
  return [...itemsAfter(-1), ...merged.flatMap((item, at) => [item, ...itemsAfter(at)])];
}

/** A difference between two plans. */
export interface PlanChange {
  /** Such as `scenarios.main.flow[GET /cart].request.timeout`. */
  readonly place: string;
  /** Value in the first plan, or undefined if only the second plan has one. */
  readonly before: unknown;
  /** Value in the second plan, or undefined if only the first plan has one. */
  readonly after: unknown;
}

/**
 * Returns the differences in meaning between two plans, in plan order. Ignores the order of keys,
 * and of items in lists where order has no meaning, such as random choices and thresholds. Also
 * ignores different notations of durations and methods. Data that a plan sends must be exactly
 * equal and in the same order. Matches steps and choices by their contents and names, so that an
 * added step does not change the locations of other steps.
 */
export function planChanges(before: Plan, after: Plan): PlanChange[] {
  const changes: PlanChange[] = [];
  compare(before, after, WHOLE_PLAN, changes);
  return changes;
}

function compare(before: unknown, after: unknown, place: PlanPlace, changes: PlanChange[]): void {
  if (isSameValue(before, after)) return;
  if (isLanguage(place) && isSameDuration(before, after)) return;
  if (isMap(before) && isMap(after)) return compareMaps(before, after, place, changes);
  if (Array.isArray(before) && Array.isArray(after)) {
    return compareLists(before, after, place, changes);
  }
  changes.push({ place: place.text, before, after });
}

function compareMaps(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  place: PlanPlace,
  changes: PlanChange[],
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const values = [before, after].map((map) => valueOf(map, key, place));
    // The order of choices matters if it matters in either plan.
    const places = [before, after].map((map) => memberPlace(place, key, map));
    const isUnordered = places.every(({ isUnordered }) => isUnordered);
    compare(values[0], values[1], { ...places[0], isUnordered }, changes);
  }
}

function valueOf(map: Record<string, unknown>, key: string, { content }: PlanPlace): unknown {
  if (Object.hasOwn(map, key) && map[key] !== undefined) return map[key];
  const isMethod = content === "language" && key === "method" && Object.hasOwn(map, "url");
  return isMethod ? requestMethod(map) : undefined;
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  place: PlanPlace,
  changes: PlanChange[],
): void {
  const pairs = new Map(alignLists(before, after, place));
  const paired = new Set(pairs.values());
  const placeOf = (item: unknown, at: number) =>
    itemPlace(place, place.content === "data" ? at : labelItem(item).text);
  before.forEach((item, i) => {
    const [j, at] = [pairs.get(i), placeOf(item, i)];
    if (j === undefined) changes.push({ place: at.text, before: item, after: undefined });
    else compare(item, after[j], at, changes);
  });
  after.forEach((item, j) => {
    if (paired.has(j)) return;
    changes.push({ place: placeOf(item, j).text, before: undefined, after: item });
  });
}

/** Reports whether a value at a location has the notation of its key, and is not free text. */
function isLanguage({ content, key }: PlanPlace): boolean {
  return content === "language" && key !== "name" && key !== "description";
}

function isSameDuration(before: unknown, after: unknown): boolean {
  const [a, b] = [before, after].map((value) =>
    typeof value === "string" || typeof value === "number" ? durationMs(value) : undefined
  );
  return a !== undefined && a === b;
}

/** `name` identifies the item in the list. */
function itemPlace({ text, content }: PlanPlace, name: string | number): PlanPlace {
  return { text: `${text}[${name}]`, content, key: "", isUnordered: false };
}
