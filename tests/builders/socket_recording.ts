import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";

const START = Date.parse("2026-11-21T10:00:00.000Z");

/** A message of a recorded WebSocket: `>` and the sent text, or `<` and the received text. */
export type MessageLine = `${">" | "<"} ${string}`;

/** A recorded call: either a WebSocket, or a request with the JSON that it sends and receives. */
export interface SocketCall {
  /** Method and path. `WS` opens a WebSocket. */
  readonly call: string;
  /** Start time, in ms after the start of the recording. */
  readonly at: number;
  /** Duration in ms (default: 5). */
  readonly lasts?: number;
  readonly sent?: unknown;
  readonly response?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Messages, keyed by their time in ms after the start of the recording. */
  readonly messages?: Readonly<Record<number, MessageLine>>;
}

/** Builds a recording with WebSockets, as Chromium writes it. */
export function socketRecording(calls: readonly SocketCall[]): Promise<Recording> {
  const entries = calls.map(({ call, at, lasts = 5, sent, response, headers = {}, messages }) => {
    const [method, path] = call.split(" ");
    const isSocket = method === "WS";
    return {
      startedDateTime: new Date(START + at).toISOString(),
      time: lasts,
      request: {
        method: isSocket ? "GET" : method,
        url: `${isSocket ? "ws" : "http"}://app.example${path}`,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        ...(sent !== undefined &&
          { postData: { mimeType: "application/json", text: JSON.stringify(sent) } }),
      },
      response: {
        status: isSocket ? 101 : 200,
        headers: [],
        content: isSocket
          ? { mimeType: "x-unknown" }
          : { mimeType: "application/json", text: JSON.stringify(response ?? {}) },
      },
      ...(messages && {
        _webSocketMessages: Object.entries(messages).map(([time, line]) => ({
          type: line.startsWith(">") ? "send" : "receive",
          time: (START + Number(time)) / 1_000,
          opcode: 1,
          data: line.slice(2),
        })),
      }),
    };
  });
  const har = JSON.stringify({ log: { version: "1.2", entries } });
  return readHar([new TextEncoder().encode(har)], "sockets.har");
}
