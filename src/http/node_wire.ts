import type { Socket } from "node:net";
import type { Wire } from "./wire.ts";

/** Adapts a Node socket to `Wire`. The socket must have an `error` listener. */
export class NodeWire implements Wire {
  readonly #socket: Socket;
  #error: Error | undefined;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    const wake = () => this.#wake();
    for (const event of ["readable", "end", "close"]) socket.on(event, wake);
    socket.on("error", (error) => this.#error = error);
  }

  async read(into: Uint8Array): Promise<number | null> {
    const socket = this.#socket;
    for (;;) {
      const size = Math.min(socket.readableLength, into.length);
      const bytes: Uint8Array | null = size > 0 ? socket.read(size) : null;
      if (bytes !== null) {
        into.set(bytes);
        return bytes.length;
      }
      if (this.#error) throw this.#error;
      if (socket.readableEnded) return null;
      if (socket.destroyed) throw new Error("the socket was closed");
      // At the end of the stream, `end` is emitted only after another `read`.
      socket.read(0);
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
