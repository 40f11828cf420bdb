import { isJsonText } from "../../base/exact_json.ts";
import { utf8Text } from "../../base/utf8.ts";
import { framedJson } from "../../base/frames/framed_json.ts";
import { readJsonBody } from "../har/json_body.ts";
import type {
  Exchange,
  RecordedMessage,
  RecordedRequest,
  RecordedResponse,
  RequestBody,
} from "../har/recording.ts";

/**
 * Methods in the names of calls that represent parts of a WebSocket. They are never sent to a
 * server.
 */
const METHODS = { open: "WS", send: "SEND", receive: "RECEIVE" } as const;
/**
 * Matches the names of headers that the client sets itself. `Sec-WebSocket-Protocol` is kept,
 * because a script sets it.
 */
const OF_HANDSHAKE = /^sec-websocket-(?:key|version|extensions|accept)$/i;

/** Reports whether the messages of the WebSocket that an exchange opens were recorded. */
export function hasMessages({ messages = [] }: Exchange): boolean {
  return messages.length > 0;
}

/** Returns the URL of the request that opens a WebSocket. */
export function socketHttpUrl(url: string): string {
  return url.replace(/^ws(?=s?:)/i, "http");
}

/**
 * Returns exchanges that represent the parts of WebSockets: one for the opening, and one for each
 * message, at the time of the message. A sent message is the body of a request, and a received
 * message is the body of a response. Correlation can then treat values in messages like those of
 * other calls.
 */
export function socketCalls(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.flatMap((exchange) => {
    const { request, response, messages = [] } = exchange;
    const url = socketHttpUrl(request.url);
    const headers = request.headers.filter(({ name }) => !OF_HANDSHAKE.test(name));
    const part = { ...exchange, messages: undefined };
    const open: Exchange = {
      ...part,
      socketPart: "open",
      endedAt: exchange.startedAt,
      request: { ...request, method: METHODS.open, url, headers, body: undefined },
      response: { ...response, ...responseOf(undefined), headers: response.headers },
    };
    return [
      open,
      ...messages.map((message): Exchange => ({
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

function requestOf(message: RecordedMessage, url: string): RecordedRequest {
  const method = message.sent ? METHODS.send : METHODS.receive;
  return { method, url, headers: [], body: message.sent ? bodyOf(message) : undefined };
}

/**
 * Returns the request body that represents a message. If `content` is not valid UTF-8, the body is
 * base64.
 */
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
    ...(payload === undefined
      ? text?.isWellFormed() && { utf8: new TextEncoder().encode(text) }
      : { payload }),
    size: text?.length ?? 0,
  };
}
