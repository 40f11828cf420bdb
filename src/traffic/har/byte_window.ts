/** A buffer of the part of a file that is in memory. Positions are offsets in the file. */
export class ByteWindow {
  #bytes = new Uint8Array(1 << 16);
  #start = 0;
  #end = 0;

  /** The underlying buffer; only its first `end - start` bytes are valid. Byte 0 is at offset `start`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Offset of the first byte. */
  get start(): number {
    return this.#start;
  }

  /** Offset after the last byte. */
  get end(): number {
    return this.#end;
  }

  /** Appends the next bytes of the file, and drops those before `keepFrom`. */
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

  /** Returns a view of the bytes in `[from, to)`, valid until the next `append`. */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }
}
