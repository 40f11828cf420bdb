import type { Step } from "../../../plan/kinds/steps/steps.ts";
import { stepLists } from "../../../plan/kinds/steps/list_requests.ts";
import { conditionNeeds } from "../conditions/compile_condition.ts";

/**
 * Returns the parts of responses that the conditions of `if`, `while` and `retry` steps read.
 * Includes steps nested at any depth.
 */
export function flowNeeds(steps: readonly Step[]): { headers: boolean; body: boolean } {
  const needs = { headers: false, body: false };
  for (const step of steps) {
    const condition = step.if?.condition ?? step.while?.condition ?? step.retry?.until;
    const own = condition && !("var" in condition) ? conditionNeeds(condition) : needs;
    const within = flowNeeds(stepLists(step).flat());
    needs.headers ||= own.headers || within.headers;
    needs.body ||= own.body || within.body;
  }
  return needs;
}
