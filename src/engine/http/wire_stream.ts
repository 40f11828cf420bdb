import { Duplex } from "node:stream";
import { closeQuietly } from "./close_quietly.ts";
import type { Wire } from "./wire.ts";

/** Read size in bytes: the most that one TLS record holds, and little enough for many idle connections. */
const READ_SIZE = 16 * 1024;

/** A `Wire` as the stream that `node:http2` needs, with the byte counts of a socket of `node:net`. */
export class WireStream extends Duplex {
  bytesRead = 0;
  bytesWritten = 0;
  readonly #wire: Wire;
  readonly #buffer = new Uint8Array(READ_SIZE);

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
  }

  override _read(): void {
    this.#wire.read(this.#buffer).then((size) => {
      if (size === null) return void this.push(null);
      this.bytesRead += size;
      this.push(this.#buffer.slice(0, size));
    }, (error) => void this.destroy(error));
  }

  override _write(
    chunk: Uint8Array,
    _encoding: string,
    done: (error?: Error | null) => void,
  ): void {
    this.#writeAll(chunk).then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    closeQuietly(this.#wire);
    done(error);
  }

  async #writeAll(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const size = await this.#wire.write(at === 0 ? chunk : chunk.subarray(at));
      this.bytesWritten += size;
      at += size;
    }
  }
}
