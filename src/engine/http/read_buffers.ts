const SMALL = 16 * 1024;
const LARGE = 64 * 1024;

/** Memory to read into, as bytes and as words. */
export class ReadBuffer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }
}

/**
 * Buffers to read into, lent for one exchange each: connections at rest, however many, need none.
 */
export class ReadBuffers {
  readonly #small: ReadBuffer[] = [];
  readonly #large: ReadBuffer[] = [];

  /** Lends one of 16 KiB. */
  take(): ReadBuffer {
    return this.#small.pop() ?? new ReadBuffer(SMALL);
  }

  /** Takes back one that a read has filled, and lends one of 64 KiB: more will come. */
  enlarge(buffer: ReadBuffer): ReadBuffer {
    this.give(buffer);
    return this.#large.pop() ?? new ReadBuffer(LARGE);
  }

  /** Takes one back that nothing reads into any more. */
  give(buffer: ReadBuffer): void {
    (buffer.bytes.length === SMALL ? this.#small : this.#large).push(buffer);
  }
}
