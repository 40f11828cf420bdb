import type { Step } from "../../plan/kinds/steps/steps.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";
import { pauseText } from "./recorded_pauses.ts";

/** A call in the flow of the plan. */
export interface PlannedCall {
  readonly request: Request;
  /** Name of the page group that the call belongs to; undefined for no group. */
  readonly page: string | undefined;
  /** Pause before the call, in milliseconds. */
  readonly pause: number;
}

/**
 * Builds the steps that send the calls in order, with the pauses before them. Consecutive calls of the
 * same page form one group.
 */
export function buildFlow(calls: readonly PlannedCall[]): Step[] {
  const flow: Step[] = [];
  let steps = flow;
  let page: string | undefined;
  for (const call of calls) {
    if (call.page !== page) {
      page = call.page;
      steps = page === undefined ? flow : [];
      if (call.pause > 0) flow.push({ think_time: pauseText(call.pause) });
      if (page !== undefined) flow.push({ group: { name: groupName(page), steps } });
    } else if (call.pause > 0) steps.push({ think_time: pauseText(call.pause) });
    steps.push({ request: call.request });
  }
  return flow;
}

/** Converts a page title to a group name. `::` is reserved: it separates nested groups in tags. */
function groupName(title: string): string {
  return title.replace(/:{2,}/g, ":");
}
