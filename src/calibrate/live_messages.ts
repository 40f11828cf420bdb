import type { Socket, SocketListener } from "../http/sender.ts";

/** Messages that a WebSocket of a live application sent to one user. */
export interface LiveMessages {
  /** One-based index of the HAR entry that opened the WebSocket in the recording. */
  readonly entry: number;
  /** Text of the messages, in order. */
  readonly texts: string[];
  /**
   * Number of messages that were not kept: binary ones, and those after the first 1,000 messages or
   * 4,000,000 UTF-16 code units.
   */
  skipped: number;
}

/** Maximum number of messages of one WebSocket that are kept. */
const MOST_KEPT = 1_000;
/** Maximum total length of the messages of one WebSocket that are kept, in UTF-16 code units. */
const MOST_TEXT = 4_000_000;

/** Wraps a WebSocket. Adds each message that it receives to `to`. */
export function keepMessages(socket: Socket, to: LiveMessages): Socket {
  let length = 0;
  return {
    listen(listener: SocketListener): void {
      socket.listen({
        onMessage(message, size): void {
          const isKept = typeof message === "string" && to.texts.length < MOST_KEPT &&
            length + message.length <= MOST_TEXT;
          if (isKept) {
            length += message.length;
            to.texts.push(message);
          } else to.skipped++;
          listener.onMessage(message, size);
        },
        onEnd: (end) => listener.onEnd(end),
      });
    },
    get bytesSent() {
      return socket.bytesSent;
    },
    get bytesReceived() {
      return socket.bytesReceived;
    },
    send: (content, isText) => socket.send(content, isText),
    close: (code, reason) => socket.close(code, reason),
    abort: () => socket.abort(),
  };
}
