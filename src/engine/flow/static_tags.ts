import type { Plan } from "../../plan/schema/plan.ts";
import type { Scope } from "./scope.ts";

/** Tags as written in a plan: values by tag name. */
export type PlanTags = NonNullable<NonNullable<Plan["defaults"]>["tags"]>;

/** Returns the tags that every sample of a step has. `more` overrides the tags of the scope. */
export function staticTags(
  { tags, scenario, group }: Pick<Scope, "tags" | "scenario" | "group">,
  more: PlanTags = {},
): Record<string, string> & { scenario: string; group: string } {
  const own = Object.entries(more).map(([tag, value]) => [tag, String(value)]);
  return { ...tags, ...Object.fromEntries(own), scenario, group };
}
