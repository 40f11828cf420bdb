import type { Plan } from "../plan/schema/plan.ts";
import { isEventStream } from "../traffic/har/socket_messages.ts";
import { isText } from "../traffic/har/body_bytes.ts";
import { lacksBody } from "../traffic/har/response.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { requestName, socketName } from "../plan/kinds/names.ts";
import { recordedEntry } from "../plan/text/tags.ts";
import type { ComparedMessages } from "./compare_messages.ts";
import { listSentValues, ValueOrigins } from "./lost_bodies.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";

/**
 * A WebSocket or a response that a calibration does not compare with the recording, or compares
 * only in part.
 */
export interface Uncompared {
  /** Zero-based index of the request whose response is not compared. Undefined for a WebSocket. */
  readonly index?: number;
  /** Name of the request or of the WebSocket in the plan. */
  readonly name: string;
  readonly what:
    | "messages"
    | "events"
    | "events before the last one"
    | "body (not in the recording)";
  /**
   * Zero-based indexes of the requests that send a recorded value that the missing body may have
   * contained, because no other recorded response contains it. Absent if there are none.
   */
  readonly senders?: readonly number[];
}

/**
 * Lists the event streams in the scenarios that replay the recording, the responses whose recorded
 * body is missing, and the WebSockets whose messages were not all compared with the recording.
 */
export function listUncompared(
  draft: PlanDraft,
  plan: Plan,
  recorded: RecordedSide,
  messages: readonly ComparedMessages[],
): Uncompared[] {
  const replayed = draft.replayed();
  const origins = new ValueOrigins(draft, recorded);
  const responses = [...replayed.values()].flat().flatMap((index): Uncompared[] => {
    const step = recorded.at(index);
    if (step === undefined) return [];
    const name = requestName(draft.at(index));
    if (isEventStream(step.exchange)) {
      const what = step.event?.isSelected ? "events before the last one" : "events";
      return [{ index, name, what }];
    }
    const { response } = step.exchange;
    const isLost = lacksBody(response) && isText(response.mimeType);
    if (!isLost) return [];
    const values = listSentValues(index, draft).filter((sent) => origins.maySend(index, sent));
    const senders = new Set(values.map((sent) => sent.index));
    const what = "body (not in the recording)";
    return [{ index, name, what, ...(senders.size > 0 && { senders: [...senders] }) }];
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
  return [...responses, ...names.map((name): Uncompared => ({ name, what: "messages" }))];
}
