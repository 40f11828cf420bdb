import { isJsonText } from "../../base/exact_number.ts";
import { framedJson } from "../../base/frames.ts";
import { utf8Text } from "../../base/string_escapes.ts";
import { EventParser } from "../../http/content.ts";
import { readJsonBody } from "./json_text.ts";
import type {
  Exchange,
  Heartbeat,
  RecordedEvent,
  RecordedMessage,
  RecordedRequest,
  RecordedResponse,
  RequestBody,
} from "./recording.ts";

/** Larger timestamps are milliseconds; others seconds, the unit that Chromium uses. */
const LATEST_SECONDS = 1e11;

function milliseconds(time: number): number {
  return time > LATEST_SECONDS ? time : time * 1_000;
}

/** Converts `_eventSourceMessages`, which Chromium records. Undefined without such a list. */
export function recordedEvents(value: unknown): readonly RecordedEvent[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item): RecordedEvent[] => {
    if (typeof item !== "object" || item === null) return [];
    const { time, eventName, eventId, data } = item as Readonly<Record<string, unknown>>;
    if (typeof data !== "string") return [];
    return [{
      data,
      ...(isTime(time) && { at: milliseconds(time) }),
      ...(isLine(eventName) && eventName !== "message" && { name: eventName }),
      ...(isLine(eventId) && { id: eventId }),
    }];
  });
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value > 0 && Number.isFinite(value);
}

function isLine(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/[\r\n\0]/.test(value);
}

/** Reports whether a response is a stream of server-sent events that a client reads one by one. */
export function isEventStream({ response: { status, mimeType } }: Exchange): boolean {
  return status >= 200 && status < 300 && mimeType === "text/event-stream";
}

/** Returns the events that have data. Undefined if neither they nor the body were recorded. */
export function streamEvents({ events, response }: Exchange): RecordedEvent[] | undefined {
  if (events !== undefined) return events.filter(({ data }) => data !== "");
  const { text } = response;
  if (text === undefined) return undefined;
  const found: RecordedEvent[] = [];
  try {
    new EventParser((data) => found.push({ data })).push(new TextEncoder().encode(text));
  } catch {
    return undefined; // An event is too large to be read in a run.
  }
  return found;
}

const TEXT_OPCODE = 1, BINARY_OPCODE = 2;

/**
 * Converts `_webSocketMessages`, which Chromium records. Undefined without such a list. `startedAt`
 * is in Unix milliseconds. No message is earlier than it or the preceding message.
 */
export function recordedMessages(
  value: unknown,
  startedAt: number,
): readonly RecordedMessage[] | undefined {
  if (!Array.isArray(value)) return undefined;
  let last = startedAt;
  return value.flatMap((item): RecordedMessage[] => {
    if (typeof item !== "object" || item === null) return [];
    const { type, time, opcode, data } = item as Readonly<Record<string, unknown>>;
    if (type !== "send" && type !== "receive" || typeof data !== "string") return [];
    const ms = typeof time === "number" && Number.isFinite(time) ? milliseconds(time) : last;
    const message = { sent: type === "send", at: last = Math.max(last, ms) };
    if (opcode === BINARY_OPCODE) return [{ ...message, base64: data }];
    return opcode === undefined || opcode === TEXT_OPCODE ? [{ ...message, text: data }] : [];
  });
}

/** Methods in the names of calls that represent parts of a WebSocket. Never sent. */
const METHODS = { open: "WS", send: "SEND", receive: "RECEIVE" } as const;
/** Headers that the client sets itself, unlike `Sec-WebSocket-Protocol`, which a script sets. */
const OF_HANDSHAKE = /^sec-websocket-(?:key|version|extensions|accept)$/i;

/** Reports whether the messages of the WebSocket that an exchange opens were recorded. */
export function hasMessages({ messages = [] }: Exchange): boolean {
  return messages.length > 0;
}

export function socketHttpUrl(url: string): string {
  return url.replace(/^ws(?=s?:)/i, "http");
}

/**
 * Adds the parts of WebSockets, sorted by start. A GET to the path of a WebSocket is a poll of the
 * connection (Engine.IO). If a message was sent while one was open, it is sorted by its end.
 */
export function withSocketCalls(
  others: readonly Exchange[],
  sockets: readonly Exchange[],
): Exchange[] {
  const parts = socketCalls(sockets);
  const held = new Set(
    others.filter(({ request: { method, url }, startedAt, endedAt }) =>
      method === "GET" &&
      parts.some(({ socketPart, startedAt: at, request }) =>
        socketPart === "send" && startedAt < at && at < endedAt &&
        withoutQuery(request.url) === withoutQuery(url)
      )
    ),
  );
  const time = (exchange: Exchange) => held.has(exchange) ? exchange.endedAt : exchange.startedAt;
  return [...others, ...parts].sort((a, b) => time(a) - time(b));
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/** A sent message becomes the body of a request, a received one of a response, for correlation. */
function socketCalls(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.flatMap((exchange) => {
    const { request, response, messages = [] } = exchange;
    const url = socketHttpUrl(request.url);
    const headers = request.headers.filter(({ name }) => !OF_HANDSHAKE.test(name));
    const part = { ...exchange, messages: undefined };
    const heartbeat = heartbeatOf(url, messages);
    const open: Exchange = {
      ...part,
      socketPart: "open",
      ...(heartbeat && { heartbeat }),
      endedAt: exchange.startedAt,
      request: { ...request, method: METHODS.open, url, headers, body: undefined },
      response: { ...response, ...responseOf(undefined), headers: response.headers },
    };
    return [
      open,
      ...withoutHeartbeats(messages, heartbeat).map((message): Exchange => ({
        ...part,
        socketPart: message.sent ? "send" : "receive",
        startedAt: message.at,
        endedAt: message.at,
        request: requestOf(message, url),
        response: responseOf(message.sent ? undefined : message.text),
      })),
    ];
  });
}

/** Match a message that only tests the connection, and the response to it. */
const PING = /^(?:ping|heartbeat|\{\s*"\w+"\s*:\s*"(?:ping|heartbeat)"\s*\})$/i;
const PONG = /^(?:ping|pong|heartbeat|\{\s*"\w+"\s*:\s*"(?:ping|pong|heartbeat)"\s*\})$/i;
/** Matches the URL of a WebSocket whose server sends heartbeats by the protocol. */
const ENGINE_IO = /[?&]EIO=4(?:&|$)/;

/** Returns the message of the server to which the client always responded with the same text. */
function heartbeatOf(url: string, messages: readonly RecordedMessage[]): Heartbeat | undefined {
  const responses = new Map<string, Set<string>>();
  for (const [i, { sent, text = "" }] of messages.entries()) {
    if (sent || !PING.test(text)) continue;
    const next = messages.slice(i).find(({ sent }) => sent)?.text;
    if (next !== undefined) responses.getOrInsertComputed(text, () => new Set()).add(next);
  }
  for (const [receive, [send, ...others]] of responses) {
    if (others.length === 0 && PONG.test(send)) return { receive, send };
  }
  return ENGINE_IO.test(url) ? { receive: "2", send: "3" } : undefined;
}

function withoutHeartbeats(
  messages: readonly RecordedMessage[],
  heartbeat: Heartbeat | undefined,
): readonly RecordedMessage[] {
  if (heartbeat === undefined) return messages;
  let due = 0;
  return messages.filter(({ sent, text }) => {
    const isPing = !sent && text === heartbeat.receive;
    const isPong = sent && text === heartbeat.send && due > 0;
    due += Number(isPing) - Number(isPong);
    return !isPing && !isPong;
  });
}

function requestOf(message: RecordedMessage, url: string): RecordedRequest {
  const method = message.sent ? METHODS.send : METHODS.receive;
  return { method, url, headers: [], body: message.sent ? bodyOf(message) : undefined };
}

/** Returns the body that represents a message: base64 if it is not valid UTF-8. */
export function messageBody(content: Uint8Array): RequestBody {
  const text = utf8Text(content);
  return bodyOf(text === undefined ? { base64: content.toBase64() } : { text });
}

function bodyOf({ text, base64 = "" }: Pick<RecordedMessage, "text" | "base64">): RequestBody {
  if (text === undefined) return { kind: "base64", base64, contentType: "" };
  const json = /^\s*[[{]/.test(text) ? readJsonBody(text) : undefined;
  return json === undefined
    ? { kind: "text", text, contentType: "" }
    : { kind: "json", value: json.value, text, contentType: "" };
}

function responseOf(text: string | undefined): RecordedResponse {
  const payload = text === undefined ? undefined : framedJson(text)?.json;
  const isJson = text !== undefined && isJsonText(text);
  return {
    status: 101,
    headers: [],
    mimeType: text === undefined ? "" : isJson ? "application/json" : "text/plain",
    text,
    ...(payload !== undefined && { payload }),
    size: text?.length ?? 0,
  };
}
