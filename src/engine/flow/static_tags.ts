import type { Plan } from "../../plan/schema/plan.ts";
import type { Scope } from "./scope.ts";

/** Tags as written in a plan. */
export type PlanTags = NonNullable<NonNullable<Plan["defaults"]>["tags"]>;

/**
 * Returns the tags of every sample at a position in a flow; `more` overrides the tags of the scope.
 */
export function staticTags(
  { tags, scenario, group }: Pick<Scope, "tags" | "scenario" | "group">,
  more: PlanTags = {},
): Record<string, string> & { scenario: string; group: string } {
  const own = Object.entries(more).map(([tag, value]) => [tag, String(value)]);
  return { ...tags, ...Object.fromEntries(own), scenario, group };
}
