import { isMap } from "../../src/base/exact_number.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

/** Parts of a request that concern its response. The user name is not replaced in them. */
const RESPONSE_PARTS = new Set(["extract", "assert", "checks"]);

/**
 * Returns the plan with a different user in each VU. The recorded name, `user`, ends in `1`. This
 * function replaces the `1` with the number of the VU, as a load tester would do by hand.
 */
export function logInPerVu(plan: Plan, user: string | undefined): Plan {
  if (user === undefined) return plan;
  const base = user.slice(0, -1);
  const name = new RegExp(`(?<![a-zA-Z0-9])${user}(?![a-zA-Z0-9])`, "g");
  const edit = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(name, `${base}\${vu}`);
    if (Array.isArray(value)) return value.map(edit);
    if (!isMap(value)) return value;
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([key, member]) => [
      key,
      RESPONSE_PARTS.has(key) ? member : edit(member),
    ]));
  };
  return edit(plan) as Plan;
}
