import type { Clock } from "../../engine/clock/clock.ts";
import type { Socket, SocketEnd, SocketListener } from "../../http/sender.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";

/** The recorded WebSocket messages. */
export interface SocketScript {
  /** Returns the messages that were recorded after the opening `call`, in order. */
  messages(call: RecordedCall): readonly RecordedCall[];
  /** Returns the text of a recorded message that the server sends to a user. */
  message(call: RecordedCall, user: string): string;
}

/** A recorded WebSocket, and the user for whom it is replayed. */
export interface SocketUse {
  /** The recorded call that opened the WebSocket. */
  readonly call: RecordedCall;
  readonly user: string;
  /** Passes a message from the client to the mock server. */
  readonly send: (body: Uint8Array) => void;
}

/**
 * WebSocket of the mock server. It sends the recorded messages up to the first one that the client
 * sent. After each message from the client, it sends those that were recorded between this message
 * and the client's next one. Messages without recorded text are omitted.
 */
export class MockSocket implements Socket {
  bytesSent = 0;
  bytesReceived = 0;
  readonly #script: SocketScript;
  readonly #use: SocketUse;
  readonly #clock: Clock;
  readonly #messages: readonly RecordedCall[];
  #next = 0;
  #listener: SocketListener | undefined;
  #ended = false;

  constructor(script: SocketScript, use: SocketUse, clock: Clock) {
    this.#script = script;
    this.#use = use;
    this.#clock = clock;
    this.#messages = script.messages(use.call);
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
    this.#reply();
  }

  send(content: Uint8Array): Promise<void> {
    this.bytesSent += content.length;
    this.#use.send(content);
    // Skips the recorded message that corresponds to this one.
    if (this.#messages[this.#next]?.exchange.socketPart === "send") this.#next++;
    this.#reply();
    return Promise.resolve();
  }

  close(code: number, reason: string): void {
    this.#end({ code, reason, error: undefined, message: undefined });
  }

  abort(): void {
    this.#end({ code: 1006, reason: "", error: "cancelled", message: "it was canceled" });
  }

  /** Sends the recorded messages up to the next one that the client sent. */
  #reply(): void {
    const { user } = this.#use;
    for (; this.#next < this.#messages.length; this.#next++) {
      const call = this.#messages[this.#next];
      if (call.exchange.socketPart === "send") return;
      if (call.exchange.response.text === undefined) continue;
      const text = this.#script.message(call, user);
      const size = text.length;
      this.bytesReceived += size;
      this.#later(() => this.#ended || this.#listener?.onMessage(text, size));
    }
  }

  #end(end: SocketEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#later(() => this.#listener?.onEnd(end));
  }

  #later(act: () => void): void {
    this.#clock.at(this.#clock.now() + 1, act);
  }
}
