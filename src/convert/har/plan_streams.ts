import type { NamelessExtractor } from "../../extract/extractors.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import type { Request } from "../../plan/kinds/request.ts";
import { isEventStream, streamEvents } from "../../traffic/har/socket_messages.ts";
import type { RecordedEvent } from "../../traffic/har/recording.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { eventTest, recordedTaker, RecordedView } from "../../traffic/session/recorded_view.ts";
import { messageCondition } from "./message_condition.ts";

/** How the plan reads the events of a recorded stream. */
export interface PlannedStream {
  /** Value of the `sse` key. Undefined if the plan reads the response as a whole. */
  readonly sse: Exclude<Request["sse"], boolean>;
  readonly timeout?: string;
  /** Number of recorded events, or undefined if the recording does not contain them. */
  readonly events: number | undefined;
  /** True if the recorded user sent another call before the stream ended. */
  readonly overlaps: boolean;
}

type EventLimits = NonNullable<PlannedStream["sse"]>;
type EventCondition = NonNullable<EventLimits["until"]>;

/**
 * Time in milliseconds for which a plan reads events if the recording does not show how long the
 * stream lasted.
 */
const UNKNOWN_MS = 10_000;
/** Minimum and maximum time in milliseconds for which a plan reads events. */
const SHORTEST_MS = 1_000, LONGEST_MS = 60_000;
/**
 * Default timeout of a request, and the margin added to the time for reading events if a longer
 * timeout is needed, in milliseconds.
 */
const TIMEOUT_MS = 30_000, MARGIN_MS = 10_000;
/** Matches the name or the text of an event with which a server announces the end of a stream. */
const END =
  /(?:^|[^a-z])(?:done|end(?:ed)?|eof|complete[d]?|finish(?:ed)?|final|close[d]?|(?:close|end)_stream|stop(?:ped)?)(?:[^a-z]|$)/i;

/**
 * Decides for each recorded stream of server-sent events how the plan reads it. `extractorsOf`
 * returns the extractors that the plan applies to the response to a call. `conditionOf` returns a
 * condition that recognizes events of the same kind.
 */
export function planStreams(
  calls: readonly RecordedCall[],
  extractorsOf: (call: RecordedCall) => readonly Extractor[],
  conditionOf: (text: string) => Condition | undefined,
): Map<RecordedCall, PlannedStream> {
  const streams = new Map<RecordedCall, PlannedStream>();
  for (const [i, call] of calls.entries()) {
    if (call.exchange.socketPart !== undefined || !isEventStream(call.exchange)) continue;
    streams.set(call, planStream(call, calls[i + 1], extractorsOf(call), conditionOf));
  }
  return streams;
}

function planStream(
  call: RecordedCall,
  next: RecordedCall | undefined,
  extract: readonly Extractor[],
  conditionOf: (text: string) => Condition | undefined,
): PlannedStream {
  const { exchange } = call;
  const end = next === undefined
    ? call.endedAt
    : Math.min(call.endedAt, Math.max(next.startedAt, call.startedAt));
  const overlaps = end < call.endedAt;
  const all = streamEvents(exchange);
  const seen = all?.filter(({ at }) => !overlaps || at === undefined || at <= end);
  const stream = { events: all?.length, overlaps };
  const inBody = extract.filter(({ type }) => type !== "header" && type !== "cookie");
  if (inBody.length > 0) {
    const holdsValues = valueTest(call, inBody);
    const source = all?.findIndex(({ data }) => holdsValues(data)) ?? -1;
    if (source < 0) return { ...stream, sse: undefined };
    const until = uniqueCondition(all!, source, conditionOf);
    const sse: EventLimits = until === undefined ? { max_events: source + 1 } : { until };
    return { ...stream, sse, ...timeoutFor(durationOf(call, end)) };
  }
  const last = (seen?.length ?? 0) - 1;
  const until = !overlaps && last >= 0 && END.test(kindText(seen![last]))
    ? uniqueCondition(seen!, last, conditionOf)
    : undefined;
  if (until !== undefined) {
    return { ...stream, sse: { until }, ...timeoutFor(durationOf(call, end)) };
  }
  const own = durationOf(call, end);
  // A recorder that omits the body may also omit when it ended. The plan then reads at least until
  // the next call.
  const read = all === undefined && next !== undefined
    ? Math.max(own, next.startedAt - call.startedAt)
    : own;
  const ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, read));
  const sse = {
    ...(last >= 0 && { max_events: last + 1 }),
    max_duration: durationText(ms),
  };
  return {
    ...stream,
    sse,
    ...(ms >= TIMEOUT_MS && { timeout: durationText(ms + MARGIN_MS) }),
  };
}

function durationOf({ startedAt, endedAt, exchange }: RecordedCall, end: number): number {
  if (end < endedAt) return end - startedAt;
  // If the recording has no start times, the exchange still has a duration.
  const ms = exchange.endedAt - exchange.startedAt;
  return ms > 0 ? ms : UNKNOWN_MS;
}

function timeoutFor(ms: number): { timeout?: string } {
  return 2 * ms > TIMEOUT_MS ? { timeout: durationText(2 * ms) } : {};
}

function durationText(ms: number): string {
  return `${Math.ceil(ms / 100) / 10}s`;
}

function valueTest(
  { exchange: { response } }: RecordedCall,
  extractors: readonly Extractor[],
): (data: string) => boolean {
  const body = new RecordedView(response);
  const wanted = extractors.map(({ name: _, ...extractor }) => {
    const take = recordedTaker(extractor as NamelessExtractor);
    return { take, value: JSON.stringify(take(body)) };
  });
  return (data) => {
    const event = new RecordedView({ ...response, text: data });
    return wanted.every(({ take, value }) =>
      value !== undefined && JSON.stringify(take(event)) === value
    );
  };
}

function uniqueCondition(
  events: readonly RecordedEvent[],
  index: number,
  conditionOf: (text: string) => Condition | undefined,
): EventCondition | undefined {
  const condition = conditionOf(events[index].data);
  if (condition === undefined || !isOfEvent(condition)) return undefined;
  const meets = eventTest(condition);
  const isShared = meets === undefined || events.some(({ data }, i) => i !== index && meets(data));
  return isShared ? undefined : condition;
}

function isOfEvent(condition: Condition): condition is EventCondition {
  return ["jsonpath", "body_contains", "body_matches"].includes(condition.type);
}

function kindText({ name = "", data }: RecordedEvent): string {
  const condition = messageCondition(data);
  const kind = condition?.type === "jsonpath"
    ? `${condition.expression} ${condition.equals ?? ""}`
    : data.slice(0, 100);
  return `${name} ${kind}`;
}
