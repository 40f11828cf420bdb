const SMALL = 4 * 1024;
const MEDIUM = 16 * 1024;
const LARGE = 64 * 1024;

/** Buffer to read into, accessible as bytes and as a `DataView`. */
export class ReadBuffer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }
}

/**
 * Pool of read buffers. A connection borrows a buffer for each exchange and, while it is idle, for
 * the next one.
 */
export class ReadBuffers {
  readonly #small: ReadBuffer[] = [];
  readonly #medium: ReadBuffer[] = [];
  readonly #large: ReadBuffer[] = [];

  /**
   * Returns a buffer of 4 KiB, or of 16 KiB if more than 4 KiB are expected. Return it to the pool
   * with `give`.
   */
  take(expected: number = 0): ReadBuffer {
    return expected > SMALL
      ? this.#medium.pop() ?? new ReadBuffer(MEDIUM)
      : this.#small.pop() ?? new ReadBuffer(SMALL);
  }

  /** Takes back a buffer that a read has filled completely, and returns a 64 KiB buffer instead. */
  enlarge(buffer: ReadBuffer): ReadBuffer {
    this.give(buffer);
    return this.#large.pop() ?? new ReadBuffer(LARGE);
  }

  /** Takes back a buffer. No read into it may be pending. */
  give(buffer: ReadBuffer): void {
    const { length } = buffer.bytes;
    (length === SMALL ? this.#small : length === MEDIUM ? this.#medium : this.#large).push(buffer);
  }
}
