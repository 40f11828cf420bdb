const EMPTY = new Uint8Array(0);

/** Collects bytes that arrive in pieces; has no memory of its own before the first. */
export class ByteSink {
  #bytes: Uint8Array = EMPTY;
  #size = 0;

  /** How many it holds. */
  get size(): number {
    return this.#size;
  }

  /** Makes room for `capacity` bytes in all, if there is less. */
  reserve(capacity: number): void {
    if (capacity <= this.#bytes.length) return;
    const larger = new Uint8Array(capacity);
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }

  /** Adds a copy of the bytes of `chunk` in [from, to). */
  append(chunk: Uint8Array, from: number, to: number): void {
    const size = this.#size + to - from;
    if (size > this.#bytes.length) this.reserve(Math.max(size, 2 * this.#bytes.length, 256));
    this.#bytes.set(chunk.subarray(from, to), this.#size);
    this.#size = size;
  }

  /** Gives away what it holds and is empty again. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#size);
    this.clear();
    return taken;
  }

  /** Lets go of what it holds. */
  clear(): void {
    this.#bytes = EMPTY;
    this.#size = 0;
  }
}
