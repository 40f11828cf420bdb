import type { Chunks } from "./chunks.ts";

/** Chunks whose beginning can be looked at before they are read. To be read once. */
export class Peekable implements Chunks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #head = new Uint8Array(0);

  /** Nothing is read before it is asked for. */
  constructor(chunks: Chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The first `count` bytes, or all there are when they are fewer. Reads no further than it must. */
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

  /** Everything, what was peeked at included. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const head = this.#head;
    this.#head = new Uint8Array(0);
    if (head.length > 0) yield head;
    for (let next; !(next = await this.#chunks.next()).done;) yield next.value;
  }
}
