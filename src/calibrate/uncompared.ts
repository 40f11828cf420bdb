import { listSteps, recordedEntry } from "../plan/kinds/list_requests.ts";
import { requestName, socketName } from "../plan/kinds/request.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { isText } from "../traffic/har/body_bytes.ts";
import { lacksBody } from "../traffic/har/entry.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { isEventStream } from "../traffic/har/socket_messages.ts";
import { changesData } from "../traffic/session/changes_data.ts";
import { keptCalls } from "../traffic/session/kept_calls.ts";
import type { Calibration, Uncompared } from "./calibration.ts";
import type { PlanDraft } from "./draft.ts";
import { listSentValues, ValueOrigins } from "./lost_bodies.ts";
import type { ComparedMessages } from "./messages.ts";
import type { RecordedSide } from "./recorded_side.ts";

/** Lists the recorded writes that a plan neither sends nor lists in `recorded.left_out`. */
export function listMissingWrites(
  draft: PlanDraft,
  { recorded }: Plan,
  { exchanges }: Recording,
): Calibration["missing"] {
  const sent = new Set(Array.from({ length: draft.size }, (_, index) => draft.entryOf(index)));
  const omitted = new Set(recorded?.left_out);
  return keptCalls(exchanges, undefined).exchanges.flatMap((exchange) => {
    const entry = exchange.index + 1;
    const isExpected = exchange.socketPart === undefined && changesData(exchange);
    if (!isExpected || sent.has(entry) || omitted.has(entry)) return [];
    const { method, url } = exchange.request;
    return [{ entry, name: `${method} ${URL.parse(url)?.pathname ?? url}` }];
  });
}

/**
 * Lists the event streams in the scenarios that replay the recording, the responses whose recorded
 * body is missing, and the WebSockets whose messages were not all compared with the recording.
 */
export function listUncompared(
  draft: PlanDraft,
  { scenarios }: Plan,
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
    if (!lacksBody(response) || !isText(response.mimeType)) return [];
    const values = listSentValues(index, draft).filter((sent) => origins.maySend(index, sent));
    const senders = [...new Set(values.map((sent) => sent.index))];
    const what = "body (not in the recording)";
    return [{ index, name, what, ...(senders.length > 0 && { senders }) }];
  });
  const compared = new Set(
    messages.filter(({ received, skipped }) => received > 0 && skipped === 0)
      .map(({ entry }) => entry),
  );
  const names = new Set(
    [...replayed.keys()].flatMap((name) =>
      [...listSteps(scenarios[name].flow)].flatMap(({ websocket }) =>
        websocket === undefined || compared.has(recordedEntry(websocket) ?? 0)
          ? []
          : [socketName(websocket)]
      )
    ),
  );
  return [...responses, ...[...names].map((name): Uncompared => ({ name, what: "messages" }))];
}
