import type { Chunks } from "./chunks.ts";

/** Chunks whose start can be peeked at before they are read. Can be read once. */
export class Peekable implements Chunks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #head = new Uint8Array(0);

  /** Reads nothing before the first call of a method. */
  constructor(chunks: Chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns the first `count` bytes, or all of them if there are fewer. Reads only the chunks needed. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#head.length < count) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      const head = new Uint8Array(this.#head.length + value.length);
      head.set(this.#head);
      head.set(value, this.#head.length);
      this.#head = head;
    }
    return this.#head.subarray(0, count);
  }

  /** Yields all bytes, including peeked ones. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const head = this.#head;
    this.#head = new Uint8Array(0);
    if (head.length > 0) yield head;
    for (let next; !(next = await this.#chunks.next()).done;) yield next.value;
  }
}
