import type { Chunks } from "../base/bytes/chunks.ts";
import type { Download } from "./download.ts";

/**
 * Size of the first part of an object, in bytes. It is requested separately, so that no connection
 * stays open while other objects are being read.
 */
const FIRST_BYTES = 64 * 1024;
/** Maximum number of bytes of an object to buffer ahead of the reader. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/**
 * The content of a remote object. It can be downloaded in advance, while other objects are being
 * read.
 */
export class ReadAhead implements Chunks {
  readonly #download: Download;
  readonly #onRead: () => void;
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #running: Promise<void> | undefined;
  #ended = false;
  #closed = false;
  #fault: unknown;
  #changed = Promise.withResolvers<void>();

  /**
   * Wraps `download` without starting it. `onRead` is called when the reader has read the first
   * 64 KiB of the object and continues, or at the first read if `start` was called before.
   */
  constructor(download: Download, onRead: () => void) {
    this.#download = download;
    this.#onRead = onRead;
  }

  /** Starts downloading the object, up to a limited number of bytes ahead of the reader. */
  start(): void {
    this.#running ??= this.#fill();
  }

  /** Stops the download. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Yields the content of the object in chunks. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#running === undefined) yield* await Array.fromAsync(this.#download.read(FIRST_BYTES));
    this.start();
    this.#onRead();
    for (;;) {
      const chunk = this.#kept.shift();
      if (chunk !== undefined) {
        this.#keptBytes -= chunk.length;
        this.#wake();
        yield chunk;
      } else if (this.#fault !== undefined) throw this.#fault;
      else if (this.#ended) return;
      else await this.#changed.promise;
    }
  }

  async #fill(): Promise<void> {
    try {
      for await (const chunk of this.#download.read()) {
        this.#kept.push(chunk);
        this.#keptBytes += chunk.length;
        this.#wake();
        while (this.#keptBytes >= MAX_KEPT_BYTES && !this.#closed) await this.#changed.promise;
        if (this.#closed) return;
      }
    } catch (error) {
      this.#fault = error;
    } finally {
      this.#ended = true;
      this.#wake();
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
