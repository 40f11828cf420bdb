import { isMap } from "../../base/exact_number.ts";
import { durationMs } from "../../base/format.ts";
import { requestMethod } from "../kinds/request.ts";
import type { Plan } from "../schema/plan.ts";
import { alignLists } from "./align_lists.ts";
import {
  isSameValue,
  itemPlace,
  labelItem,
  memberPlace,
  type PlanPlace,
  WHOLE_PLAN,
} from "./compared_item.ts";

/** A difference between two plans. */
export interface PlanChange {
  /**
   * Location of the changed value in the plan, such as `scenarios.main.flow[GET
   * /cart].request.timeout`.
   */
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
