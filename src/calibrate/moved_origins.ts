import { isMap } from "../base/exact_number.ts";
import { literal } from "../plan/text/template.ts";
import type { Plan } from "../plan/schema/plan.ts";

/** Keys of a plan whose values are not sent. Origins in these values are not replaced. */
const KEPT = new Set(["name", "description", "hosts"]);
/**
 * Keys of a step or a request whose members are all sent, regardless of their names. Origins are
 * therefore replaced even in members with a name in `KEPT`.
 */
const SENT = new Set(["params", "headers", "body", "set"]);
const NONE: ReadonlySet<string> = new Set();

/** Moves all requests of a plan to another origin. Sets the base URL to `target`. */
export function movePlan(plan: Plan, move: (text: string) => string, target: string): Plan {
  const moved = {
    ...plan,
    defaults: moveTexts(plan.defaults ?? {}, move) as Plan["defaults"],
    scenarios: Object.fromEntries(
      Object.entries(plan.scenarios).map(([name, scenario]) => [name, moveTexts(scenario, move)]),
    ) as Plan["scenarios"],
  };
  return {
    ...moved,
    defaults: { ...moved.defaults, http: { ...moved.defaults?.http, base_url: literal(target) } },
  };
}

/**
 * Replaces origins in the strings of `value`, except those nested under a key in `kept`. Keys
 * nested under a key in `SENT` are never kept.
 */
function moveTexts(
  value: unknown,
  move: (text: string) => string,
  kept: ReadonlySet<string> = KEPT,
): unknown {
  if (typeof value === "string") return move(value);
  if (Array.isArray(value)) return value.map((item) => moveTexts(item, move, kept));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      kept.has(key) ? member : moveTexts(member, move, SENT.has(key) ? NONE : kept),
    ]),
  );
}
