import type { Plan } from "../../plan/schema/plan.ts";
import type { Scope } from "./scope.ts";

/** Tags as a plan writes them. */
export type PlanTags = NonNullable<NonNullable<Plan["defaults"]>["tags"]>;

/** The tags that every sample of a place in a flow carries, `more` being nearer to it. */
export function staticTags(
  { tags, scenario, group }: Pick<Scope, "tags" | "scenario" | "group">,
  more: PlanTags = {},
): Record<string, string> & { scenario: string; group: string } {
  const own = Object.entries(more).map(([tag, value]) => [tag, String(value)]);
  return { ...tags, ...Object.fromEntries(own), scenario, group };
}
