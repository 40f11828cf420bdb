const EMPTY = new Uint8Array(0);

/** Collects bytes that arrive in pieces. Allocates nothing before the first byte. */
export class ByteSink {
  #bytes: Uint8Array = EMPTY;
  #size = 0;

  /** Number of bytes collected. */
  get size(): number {
    return this.#size;
  }

  /** The bytes collected, as a view that is valid until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Grows the buffer to at least `capacity` bytes. */
  reserve(capacity: number): void {
    if (capacity <= this.#bytes.length) return;
    const larger = new Uint8Array(capacity);
    larger.set(this.bytes);
    this.#bytes = larger;
  }

  /** Appends a copy of `chunk[from, to)`. */
  append(chunk: Uint8Array, from: number, to: number): void {
    const size = this.#size + to - from;
    if (size > this.#bytes.length) this.reserve(Math.max(size, 2 * this.#bytes.length, 256));
    this.#bytes.set(chunk.subarray(from, to), this.#size);
    this.#size = size;
  }

  /** Returns the collected bytes and empties the sink. */
  take(): Uint8Array {
    const taken = this.bytes;
    this.clear();
    return taken;
  }

  /** Empties the sink, but keeps its buffer for the next bytes. */
  reset(): void {
    this.#size = 0;
  }

  /** Empties the sink and releases its buffer. */
  clear(): void {
    this.#bytes = EMPTY;
    this.#size = 0;
  }
}
