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

/** The location of the whole plan. */
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

/** Keys whose values are durations. */
const DURATIONS = new Set([
  ...["duration", "max_duration", "timeout", "connect_timeout", "think_time", "start_time"],
  ...[
    "graceful_stop",
    "graceful_ramp_down",
    "backoff",
    "delay_abort_eval",
    "time_unit",
    "interval",
  ],
  ...["min", "max", "mean", "std_dev", "wait"],
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

/** Reports whether values at a location are durations, so that `60s` and `1m` are equal. */
export function isDurationPlace({ content, key }: PlanPlace): boolean {
  return content === "language" && DURATIONS.has(key);
}
