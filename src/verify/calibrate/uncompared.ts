import type { Plan } from "../../plan/schema/plan.ts";
import { isEventStream } from "../../traffic/har/event_messages.ts";
import { requestName } from "../../plan/kinds/steps/request_name.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import { listSocketNames } from "./socket_report.ts";

/**
 * A WebSocket or an event stream that a calibration does not compare with the recording, or
 * compares only in part.
 */
export interface Uncompared {
  /** Zero-based index of the request whose events are not compared. Undefined for a WebSocket. */
  readonly index?: number;
  /** Name of the request or of the WebSocket in the plan. */
  readonly name: string;
  readonly what: "messages" | "events" | "events before the last one";
}

/** Lists the WebSockets and the streams of events in the scenarios that replay the recording. */
export function listUncompared(draft: PlanDraft, plan: Plan, recorded: RecordedSide): Uncompared[] {
  const replayed = draft.replayed();
  const streams = [...replayed.values()].flat().flatMap((index): Uncompared[] => {
    const step = recorded.at(index);
    if (step === undefined || !isEventStream(step.exchange)) return [];
    const what = step.event?.isSelected ? "events before the last one" : "events";
    return [{ index, name: requestName(draft.at(index)), what }];
  });
  const sockets = [...replayed.keys()].flatMap((name) => listSocketNames(plan.scenarios[name].flow))
    .map((name): Uncompared => ({ name, what: "messages" }));
  return [...streams, ...sockets];
}
