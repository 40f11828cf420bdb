import { isMap } from "../../base/exact_number.ts";
import { compareOutcomeNames, compareOutcomes } from "./compare_outcomes.ts";
import { difference, nameDifference } from "./name_difference.ts";
import type { ResponseDifference } from "./response_difference.ts";
import { withoutValues } from "./value_free_text.ts";

/** Matches names of members that describe an error. */
const OF_ERROR = /err|fail|exception|message|reason|detail|denied|invalid|forbidden/i;

/**
 * Compares the top level of two JSON values: their kinds, the names of their members, and the
 * values of boolean members such as `success`. Also reports members such as `status` that indicate
 * success in the recorded value and failure in the live value. If the recorded value is an empty
 * object, ignores new members unless the name of one of them describes an error. `isRead` is true
 * if the request cannot change data. If `isRead` is false, also reports members of inner objects
 * whose names indicate different outcomes, such as `user_added` and `user_exists`.
 */
export function compareJson(
  recorded: unknown,
  live: unknown,
  isRead: boolean,
): ResponseDifference[] {
  const [kind, liveKind] = [recorded, live].map(kindOf);
  if (kind !== liveKind) return [difference("content", `JSON ${kind}`, `JSON ${liveKind}`)];
  if (!isMap(recorded) || !isMap(live)) return [];
  const names = (members: object) => new Set(Object.keys(members).map(withoutValues));
  const isEmpty = Object.keys(recorded).length === 0;
  if (isEmpty && !Object.keys(live).some((name) => OF_ERROR.test(name))) return [];
  return [
    ...nameDifference("json-key", names(recorded), names(live)),
    ...Object.entries(recorded).flatMap(([name, value]) => {
      const other = live[name];
      if (typeof value !== "boolean" || typeof other !== "boolean" || value === other) return [];
      return [difference("json-value", `${name}: ${value}`, `${name}: ${other}`)];
    }),
    ...compareOutcomes(recorded, live, isRead),
    ...(isRead ? [] : compareOutcomeNames(recorded, live)),
  ];
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  if (isMap(value)) return "object";
  return value === null ? "null" : "value";
}
