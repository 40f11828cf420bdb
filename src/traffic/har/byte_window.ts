/** The part of a file that is held in memory. Positions are offsets in the file. */
export class ByteWindow {
  #bytes = new Uint8Array(1 << 16);
  #start = 0;
  #end = 0;

  /** What is held, and more behind it: look only from `start` to `end`, less `start`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Offset of the first byte held. */
  get start(): number {
    return this.#start;
  }

  /** Offset behind the last byte held. */
  get end(): number {
    return this.#end;
  }

  /** Adds the file's next bytes, and forgets those before `keepFrom`. */
  append(chunk: Uint8Array, keepFrom: number): void {
    const kept = this.slice(Math.min(keepFrom, this.#end), this.#end);
    const length = kept.length + chunk.length;
    if (length > this.#bytes.length) {
      this.#bytes = new Uint8Array(Math.max(2 * this.#bytes.length, length));
    }
    this.#bytes.set(kept);
    this.#bytes.set(chunk, kept.length);
    this.#start = this.#end - kept.length;
    this.#end += chunk.length;
  }

  /** Bytes that are held, valid until the next `append`. */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }
}
