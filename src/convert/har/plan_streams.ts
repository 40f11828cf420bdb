import { framedJson, messageJson, PACKET } from "../../base/frames.ts";
import { escapeRegex } from "../../base/string_escapes.ts";
import { formatPath } from "../../correlation/propose_json.ts";
import { extractValue } from "../../correlation/try_extractor.ts";
import type { JsonPath } from "../../correlation/views.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import type { Request } from "../../plan/kinds/request.ts";
import { literal } from "../../plan/text/template.ts";
import type { Exchange, RecordedEvent } from "../../traffic/har/recording.ts";
import { isEventStream, streamEvents } from "../../traffic/har/socket_messages.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { eventTest } from "../../traffic/session/recorded_view.ts";
import type { MaskValues } from "./checks.ts";

const KINDS = [
  ...["type", "msg_type", "event", "op", "action", "method", "command", "cmd", "kind", "t"],
  ...["name", "topic", "channel", "status", "msg"],
];
/** A value that can name a message's kind. */
const WORD = /^[A-Za-z][A-Za-z_.:/ -]{1,60}$/;
/** Heartbeats of Engine.IO, SockJS, STOMP and SignalR. */
const HEARTBEAT = /^(?:2|h|[\r\n]+|\{"type":6\}.?)$/s;
const MAX_DEPTH = 3;
const MAX_PREFIX = 40;

/**
 * Returns a condition on a member such as `type`, also in a frame such as STOMP's, or on the start
 * of other text and of Engine.IO packets. Undefined for heartbeats. `mask` hides what changes.
 */
export function messageCondition(
  text: string,
  mask: MaskValues = (text) => text,
): Condition | undefined {
  if (HEARTBEAT.test(text)) return undefined;
  // The start of a packet states its kind better than the JSON after it.
  const packet = framedJson(text) === undefined ? undefined : PACKET.exec(text)?.[0];
  const json = packet === undefined ? parsed(messageJson(text)) : undefined;
  if (json !== undefined) return memberCondition(json);
  const before = packet ?? BEFORE_JSON.exec(text)?.[0];
  const named = before === undefined ? undefined : NAMED.exec(text.slice(before.length))?.[0];
  if (named !== undefined) return { type: "body_contains", value: literal(before + named) };
  // The number of an acknowledgement, whose JSON starts with a value, identifies the packet.
  return packet === undefined
    ? startCondition(text, mask)
    : { type: "body_matches", pattern: `^${escapeRegex(text.slice(0, packet.length + 1))}` };
}

function memberCondition(json: object): Condition | undefined {
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const found = kindAt(json, [], depth);
    if (found !== undefined) return found;
  }
  const [first] = Array.isArray(json) ? [] : Object.keys(json);
  return first === undefined
    ? undefined
    : { type: "jsonpath", expression: formatPath([first]), exists: true };
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function kindAt(value: unknown, path: JsonPath, depth: number): Condition | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const map = value as Readonly<Record<string | number, unknown>>;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(map);
  if (depth > 0) {
    for (const key of keys) {
      const found = kindAt(map[key], [...path, key], depth - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const key = (Array.isArray(value) ? keys : KINDS).find((name) =>
    Object.hasOwn(map, name) && typeof map[name] === "string" && WORD.test(map[name])
  );
  if (key === undefined) return undefined;
  const expression = formatPath([...path, key]);
  return { type: "jsonpath", expression, equals: map[key] as string };
}

/**
 * Matches the start of JSON up to the first name of an object or the first string of a list, and a
 * name after this. Later values may be generated.
 */
const NAMED =
  /^(?:\[\s*"[A-Za-z][A-Za-z_.:/ -]{1,60}"(?:\s*,\s*\{\s*"[A-Za-z_-]{1,40}"\s*:)?|\{\s*"[A-Za-z_-]{1,40}"\s*:)/;
const BEFORE_JSON = /^\d{0,3}[^\d[{"]{0,40}(?=[[{])/;

/** The start ends before a value, a number that is not first, and what `mask` replaces. */
function startCondition(text: string, mask: MaskValues): Condition | undefined {
  const masked = mask(text);
  let stable = 0;
  while (stable < text.length && text[stable] === masked[stable]) stable++;
  const [prefix] = /^\d{0,3}[^\d]*/.exec(text.slice(0, stable))!;
  // A truncated word is unreliable.
  const start = prefix.length <= MAX_PREFIX
    ? prefix.toWellFormed()
    : prefix.slice(0, MAX_PREFIX).replace(/[A-Za-z]+$/, "").toWellFormed();
  if (text.length <= 3) {
    return text === "" ? undefined : { type: "body_matches", pattern: `^${escapeRegex(text)}$` };
  }
  return start.trim().length < 2 ? undefined : { type: "body_contains", value: literal(start) };
}

export interface PlannedStream {
  /** Undefined if the response is read as a whole. */
  readonly sse: Exclude<Request["sse"], boolean>;
  readonly timeout?: string;
  readonly events: number | undefined;
  readonly overlaps: boolean;
}

type EventLimits = NonNullable<PlannedStream["sse"]>;
type EventCondition = NonNullable<EventLimits["until"]>;

const UNKNOWN_MS = 10_000;
const SHORTEST_MS = 1_000, LONGEST_MS = 60_000;
/** A request's default, and what is added to an expected time. */
const TIMEOUT_MS = 30_000, MARGIN_MS = 10_000;
/** The name or the text of an event that announces the end. */
const END =
  /(?:^|[^a-z])(?:done|end(?:ed)?|eof|complete[d]?|finish(?:ed)?|final|close[d]?|(?:close|end)_stream|stop(?:ped)?)(?:[^a-z]|$)/i;

/** `conditionOf` recognizes events of the same kind. */
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
  const end = next === undefined
    ? call.endedAt
    : Math.min(call.endedAt, Math.max(next.startedAt, call.startedAt));
  const overlaps = end < call.endedAt;
  const own = durationOf(call, end);
  const all = streamEvents(call.exchange);
  const planned = (sse: EventLimits | undefined, timeoutMs: number): PlannedStream => ({
    events: all?.length,
    overlaps,
    sse,
    ...(timeoutMs > TIMEOUT_MS && { timeout: tenths(timeoutMs) }),
  });
  const inBody = extract.filter(({ type }) => type !== "header" && type !== "cookie");
  if (inBody.length > 0) {
    const holdsValues = valueTest(call, inBody);
    const source = all?.findIndex(({ data }) => holdsValues(data)) ?? -1;
    if (source < 0) return planned(undefined, 0);
    const until = uniqueCondition(all!, source, conditionOf);
    return planned(until === undefined ? { max_events: source + 1 } : { until }, 2 * own);
  }
  const seen = all?.filter(({ at }) => !overlaps || at === undefined || at <= end) ?? [];
  const last = seen.length - 1;
  const until = !overlaps && last >= 0 && END.test(kindText(seen[last]))
    ? uniqueCondition(seen, last, conditionOf)
    : undefined;
  if (until !== undefined) return planned({ until }, 2 * own);
  // Without the body, its end may be lost too: reads at least until the next call.
  const read = all === undefined && next !== undefined
    ? Math.max(own, next.startedAt - call.startedAt)
    : own;
  const ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, read));
  const limits = { ...(last >= 0 && { max_events: last + 1 }), max_duration: tenths(ms) };
  return planned(limits, ms >= TIMEOUT_MS ? ms + MARGIN_MS : 0);
}

/** Timeout for a response that took too long for the default, such as a long poll. */
export function longTimeout({ startedAt, endedAt }: Exchange): string | undefined {
  const ms = endedAt - startedAt + MARGIN_MS;
  return ms > TIMEOUT_MS ? tenths(ms) : undefined;
}

function durationOf({ startedAt, endedAt, exchange }: RecordedCall, end: number): number {
  if (end < endedAt) return end - startedAt;
  // Without start times, the exchange still has a duration.
  const ms = exchange.endedAt - exchange.startedAt;
  return ms > 0 ? ms : UNKNOWN_MS;
}

/** Rounds up. */
function tenths(ms: number): string {
  return `${Math.ceil(ms / 100) / 10}s`;
}

function valueTest(
  { exchange: { response } }: RecordedCall,
  extractors: readonly Extractor[],
): (data: string) => boolean {
  const valuesIn = (text: string | undefined) =>
    extractors.map((extractor) => JSON.stringify(extractValue(extractor, { ...response, text })));
  const wanted = valuesIn(response.text);
  return (data) => valuesIn(data).every((value, i) => value !== undefined && value === wanted[i]);
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
