import type { Plan } from "../../plan/schema/plan.ts";
import { isEventStream } from "../../traffic/har/event_messages.ts";
import { listSteps } from "../../plan/kinds/steps/list_requests.ts";
import { requestName, socketName } from "../../plan/kinds/steps/request_name.ts";
import { recordedEntry } from "../../plan/text/recorded_tag.ts";
import type { ComparedMessages } from "./compare_messages.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";

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

/**
 * Lists the event streams in the scenarios that replay the recording, and the WebSockets whose
 * messages were not all compared with the recording.
 */
export function listUncompared(
  draft: PlanDraft,
  plan: Plan,
  recorded: RecordedSide,
  messages: readonly ComparedMessages[],
): Uncompared[] {
  const replayed = draft.replayed();
  const streams = [...replayed.values()].flat().flatMap((index): Uncompared[] => {
    const step = recorded.at(index);
    if (step === undefined || !isEventStream(step.exchange)) return [];
    const what = step.event?.isSelected ? "events before the last one" : "events";
    return [{ index, name: requestName(draft.at(index)), what }];
  });
  const compared = new Set(
    messages.filter(({ received, skipped }) => received > 0 && skipped === 0)
      .map(({ entry }) => entry),
  );
  const sockets = [...replayed.keys()].flatMap((name) =>
    [...listSteps(plan.scenarios[name].flow)].flatMap(({ websocket }) =>
      websocket === undefined || compared.has(recordedEntry(websocket) ?? 0)
        ? []
        : [socketName(websocket)]
    )
  );
  const names = [...new Set(sockets)];
  return [...streams, ...names.map((name): Uncompared => ({ name, what: "messages" }))];
}
