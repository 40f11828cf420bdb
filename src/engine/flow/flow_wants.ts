import type { Step } from "../../plan/schema/step.ts";
import { stepLists } from "../../plan/steps.ts";
import { conditionNeeds } from "../conditions/compile_condition.ts";

/** What the conditions of a flow's `if`, `while` and `retry` steps look at, however deep they stand. */
export function flowNeeds(steps: readonly Step[]): { headers: boolean; body: boolean } {
  const wants = { headers: false, body: false };
  for (const step of steps) {
    const condition = step.if?.condition ?? step.while?.condition ?? step.retry?.until;
    const own = condition && !("var" in condition) ? conditionNeeds(condition) : wants;
    const within = flowNeeds(stepLists(step).flat());
    wants.headers ||= own.headers || within.headers;
    wants.body ||= own.body || within.body;
  }
  return wants;
}
