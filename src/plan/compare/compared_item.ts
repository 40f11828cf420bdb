import { isMap } from "../../base/exact_number.ts";
import { type ItemLabel, labelItem } from "./item_label.ts";
import type { PlanPlace } from "./plan_place.ts";

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

/** Returns a value as JSON with sorted keys. */
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
