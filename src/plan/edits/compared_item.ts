import { ExactNumber, isMap, PlainScalar } from "../../base/exact_number.ts";
import { requestName, socketName } from "../kinds/request.ts";
import { STEPS } from "../kinds/steps.ts";

/** An item of a list, with the strings used to compare it with other items. */
export interface ComparedItem extends ItemLabel {
  /** The whole value as text. Equal values have equal strings. */
  readonly value: string;
  /** The value as text, without the number of the recorded entry that the step replays. */
  readonly unnumbered: string;
}

/**
 * Returns the strings used to compare an item of a list. `content` states what the list contains,
 * as in `PlanPlace`.
 */
export function comparedItem(item: unknown, { content }: Pick<PlanPlace, "content">): ComparedItem {
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
 * Returns a step without the tag that contains its number in the recording. This number changes if
 * a new recording has an additional request before the step.
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
  /**
   * Name of the item, such as `GET /cart`. Items with the same name are versions of the same item.
   */
  readonly text: string;
  /**
   * Labels of the steps in a choice, which identify the choice even if it was renamed. Absent for
   * other items.
   */
  readonly content?: string;
  /**
   * Kind of the item, such as `request`. Only items of the same kind can be versions of the same
   * item.
   */
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

/**
 * Reports whether two values in plans are deeply equal. A key whose value is undefined counts as
 * absent.
 */
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
  /**
   * The keys that lead to the location, such as `scenarios.main.rate`; empty for the whole plan.
   */
  readonly text: string;
  /**
   * What the location contains: a part of the plan language, a map with user-defined keys, or data
   * that the plan sends or uses unchanged.
   */
  readonly content: "language" | "named" | "data";
  /**
   * Key of the plan language that determines the meaning of the value; empty for the whole plan,
   * for list items, and for values of user-defined keys.
   */
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

/**
 * Returns the location of an item of a list. The first argument is the location of the list, and
 * `name` identifies the item in the list.
 */
export function itemPlace({ text, content }: PlanPlace, name: string | number): PlanPlace {
  return { text: `${text}[${name}]`, content, key: "", isUnordered: false };
}
