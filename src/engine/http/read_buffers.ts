const SMALL = 16 * 1024;
const LARGE = 64 * 1024;

/**
 * Buffers to read into, lent for one exchange each: connections at rest, however many, need none.
 */
export class ReadBuffers {
  readonly #small: Uint8Array[] = [];
  readonly #large: Uint8Array[] = [];

  /** Lends one of 16 KiB. */
  take(): Uint8Array {
    return this.#small.pop() ?? new Uint8Array(SMALL);
  }

  /** Takes back one that a read has filled, and lends one of 64 KiB: more will come. */
  enlarge(buffer: Uint8Array): Uint8Array {
    this.give(buffer);
    return this.#large.pop() ?? new Uint8Array(LARGE);
  }

  /** Takes one back that nothing reads into any more. */
  give(buffer: Uint8Array): void {
    (buffer.length === SMALL ? this.#small : this.#large).push(buffer);
  }
}
