import { isMap } from "../../base/exact_number.ts";
import type { Plan } from "../schema/plan.ts";
import { alignLists, type ItemPair } from "./align_lists.ts";
import {
  isSameValue,
  itemPlace,
  labelItem,
  memberPlace,
  ownMember,
  type PlanPlace,
  WHOLE_PLAN,
} from "./compared_item.ts";

/**
 * A value that the user edited and that also changed in the newly converted plan. The merged plan
 * keeps the edit.
 */
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
