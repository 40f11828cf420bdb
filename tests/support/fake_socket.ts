import type { Clock } from "../../src/engine/vu/clock.ts";
import type {
  ErrorKind,
  Socket,
  SocketEnd,
  SocketListener,
  SocketMessage,
} from "../../src/http/sender.ts";

/** Scripted behavior of the server side of a WebSocket. */
export interface SocketScript {
  /** Status of the response to the upgrade request (default: 101). */
  readonly status?: number;
  /** Headers of the response to the upgrade request. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Error that ends the upgrade request. */
  readonly error?: ErrorKind;
  /** Duration of the upgrade request in ms (default: 10). */
  readonly ms?: number;
  readonly onOpen?: (server: FakeSocket) => void;
  readonly onMessage?: (message: SocketMessage, server: FakeSocket) => void;
  /** Code of the server's close frame when the client closes (default: the client's code). */
  readonly closesWith?: number;
}

/** A WebSocket without a network. The server's side is a script. */
export class FakeSocket implements Socket {
  bytesSent = 0;
  bytesReceived = 0;
  readonly script: SocketScript;
  readonly #clock: Clock;
  #listener: SocketListener | undefined;
  #ended = false;

  constructor(clock: Clock, script: SocketScript) {
    this.#clock = clock;
    this.script = script;
  }

  /** Sends a message to the client after `ms` milliseconds. */
  reply(message: SocketMessage, ms = 0): void {
    this.#clock.at(this.#clock.now() + ms, () => {
      const size = typeof message === "string"
        ? new TextEncoder().encode(message).length
        : message.length;
      this.bytesReceived += size;
      if (!this.#ended) this.#listener?.onMessage(message, size);
    });
  }

  /** Ends the WebSocket after `ms` milliseconds. */
  end(end: Partial<SocketEnd>, ms = 0): void {
    const whole = { code: 1000, reason: "", error: undefined, message: undefined, ...end };
    this.#clock.at(this.#clock.now() + ms, () => this.#end(whole));
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
    this.script.onOpen?.(this);
  }

  send(content: Uint8Array, isText: boolean): Promise<void> {
    this.bytesSent += content.length;
    this.script.onMessage?.(isText ? new TextDecoder().decode(content) : content, this);
    return Promise.resolve();
  }

  close(code: number, reason: string): void {
    this.end({ code: this.script.closesWith ?? code, reason }, 5);
  }

  abort(): void {
    this.#end({ code: 1006, reason: "", error: "cancelled", message: "it was canceled" });
  }

  #end(end: SocketEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener?.onEnd(end);
  }
}
