const SIZE = 16 * 1024;

/**
 * Buffers to read into, lent for one exchange each: connections at rest, however many, need none.
 */
export class ReadBuffers {
  readonly #free: Uint8Array[] = [];

  /** Lends one. */
  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(SIZE);
  }

  /** Takes one back that nothing reads into any more. */
  give(buffer: Uint8Array): void {
    this.#free.push(buffer);
  }
}
