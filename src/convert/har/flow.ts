import type { Request, Step } from "../../plan/schema/step.ts";
import { pauseText } from "./recorded_pauses.ts";

/** A call of the flow. */
export interface PlannedCall {
  readonly request: Request;
  /** The page to group it under; undefined for none. */
  readonly page: string | undefined;
  /** Milliseconds to wait before it. */
  readonly pause: number;
}

/** The calls as steps: pauses between them, consecutive calls of one page in one group. */
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

/** A page title as the name of a group: `::` separates nested groups in tags. */
function groupName(title: string): string {
  return title.replace(/:{2,}/g, ":");
}
