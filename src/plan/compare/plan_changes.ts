import { durationMs } from "../../base/duration.ts";
import { isMap } from "../../base/exact_number.ts";
import { isSameValue } from "../amend/same_value.ts";
import { requestMethod } from "../kinds/steps/request_name.ts";
import type { Plan } from "../schema/plan.ts";
import { alignLists } from "./align_lists.ts";
import { labelItem } from "./item_label.ts";

/** A difference between two plans. */
export interface PlanChange {
  /** Place in the plan, such as `scenarios.main.flow[GET /cart].request.timeout`. */
  readonly place: string;
  /** Value in the first plan, or undefined if only the second plan has one. */
  readonly before: unknown;
  /** Value in the second plan, or undefined if only the first plan has one. */
  readonly after: unknown;
}

/** Keys whose values are durations. */
const DURATIONS =
  /^(?:(?:max_)?duration|.*time(?:out)?|.*_time|graceful_stop|backoff|delay.*|time_unit|min|max|mean|std_dev|wait)$/;

/**
 * Returns the differences in meaning between two plans, in the order of the plans. Ignores the order
 * of keys and choices, and the notation of durations and methods. Finds steps and choices by their
 * names, so that an added step does not change the place of the others.
 */
export function planChanges(before: Plan, after: Plan): PlanChange[] {
  const changes: PlanChange[] = [];
  compare(before, after, "", "", changes);
  return changes;
}

function compare(
  before: unknown,
  after: unknown,
  place: string,
  key: string,
  changes: PlanChange[],
): void {
  if (isSameValue(before, after) || isSameDuration(before, after, key)) return;
  if (isMap(before) && isMap(after)) return compareMaps(before, after, place, changes);
  if (Array.isArray(before) && Array.isArray(after)) {
    return compareLists(before, after, place, changes);
  }
  changes.push({ place, before, after });
}

function compareMaps(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  place: string,
  changes: PlanChange[],
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const values = [before, after].map((map) => valueOf(map, key));
    compare(values[0], values[1], place === "" ? key : `${place}.${key}`, key, changes);
  }
}

/**
 * Returns the value of a key. For a request without `method`, returns the method with which it is
 * sent.
 */
function valueOf(map: Record<string, unknown>, key: string): unknown {
  if (Object.hasOwn(map, key) && map[key] !== undefined) return map[key];
  return key === "method" && Object.hasOwn(map, "url") ? requestMethod(map) : undefined;
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  place: string,
  changes: PlanChange[],
): void {
  const pairs = new Map(alignLists(before, after));
  const paired = new Set(pairs.values());
  const placeOf = (item: unknown) => `${place}[${labelItem(item).text}]`;
  before.forEach((item, i) => {
    const j = pairs.get(i);
    if (j === undefined) changes.push({ place: placeOf(item), before: item, after: undefined });
    else compare(item, after[j], placeOf(item), "", changes);
  });
  after.forEach((item, j) => {
    if (!paired.has(j)) changes.push({ place: placeOf(item), before: undefined, after: item });
  });
}

function isSameDuration(before: unknown, after: unknown, key: string): boolean {
  if (!DURATIONS.test(key)) return false;
  const [a, b] = [before, after].map((value) =>
    typeof value === "string" || typeof value === "number" ? durationMs(value) : undefined
  );
  return a !== undefined && a === b;
}
