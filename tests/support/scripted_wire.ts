import type { Wire } from "../../src/http/connection.ts";
import { joined } from "./raw_http2.ts";

/** Wire whose other side is controlled by a test. */
export class ScriptedWire implements Wire {
  isClosed = false;
  /** True to leave writes pending until `resume`, as if the peer did not read. */
  isStalled = false;
  /** Size of the largest write. */
  largestWrite = 0;
  readonly #stalled: (() => void)[] = [];
  readonly #written: Uint8Array[] = [];
  readonly #received: Uint8Array[] = [];
  #end: null | Error | undefined;
  #reading: PromiseWithResolvers<void> | undefined;

  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      const piece = this.#received.shift();
      if (piece !== undefined) {
        const size = Math.min(piece.length, into.length);
        into.set(piece.subarray(0, size));
        if (size < piece.length) this.#received.unshift(piece.subarray(size));
        return size;
      }
      if (this.isClosed) throw new Deno.errors.Interrupted();
      if (this.#end instanceof Error) throw this.#end;
      if (this.#end === null) return null;
      this.#reading = Promise.withResolvers();
      await this.#reading.promise;
    }
  }

  write(bytes: Uint8Array): Promise<number> {
    this.largestWrite = Math.max(this.largestWrite, bytes.length);
    return new Promise((resolve) => {
      const finish = () => {
        this.#written.push(bytes.slice());
        resolve(bytes.length);
      };
      if (this.isStalled) this.#stalled.push(finish);
      else finish();
    });
  }

  /** Completes the oldest pending write. */
  resume(): void {
    this.#stalled.shift()?.();
  }

  close(): void {
    this.isClosed = true;
    this.#reading?.resolve();
  }

  /** Delivers bytes to the client, in pieces of at most `size` bytes. */
  deliver(bytes: Uint8Array, size: number = Infinity): void {
    for (let at = 0; at < bytes.length; at += size) {
      this.#received.push(bytes.subarray(at, at + size));
    }
    this.#reading?.resolve();
  }

  /** Ends the connection: null for its regular end, or the error that the client's read gets. */
  end(how: null | Error = null): void {
    this.#end = how;
    this.#reading?.resolve();
  }

  /** Returns all bytes that the client has written. */
  get written(): Uint8Array {
    return joined(...this.#written);
  }
}
