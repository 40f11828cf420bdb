import { loadPlan } from "../../src/plan/load_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

/** Parses a plan. Throws if it is invalid. */
export function parsedPlan(text: string): Plan {
  const { plan, diagnostics } = loadPlan(text);
  if (plan === undefined) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  return plan;
}
