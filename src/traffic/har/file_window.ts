/**
 * Buffer that contains the current part of a file that is read sequentially. All positions are offsets
 * in the file.
 */
export class ByteWindow {
  #bytes = new Uint8Array(1 << 16);
  #start = 0;
  #end = 0;

  /**
   * Underlying buffer. Its byte 0 is at file offset `start`, and only its first `end - start` bytes are
   * valid.
   */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** File offset of the first buffered byte. */
  get start(): number {
    return this.#start;
  }

  /** File offset after the last buffered byte. */
  get end(): number {
    return this.#end;
  }

  /** Appends the next bytes of the file and discards those before file offset `keepFrom`. */
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

  /**
   * Returns a view of the bytes at file offsets `[from, to)`, which must be in the buffer. The view is
   * valid until the next `append`.
   */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }
}

/** A position in a file. */
export interface FilePlace {
  /** Byte offset in the file, from 0. */
  readonly offset: number;
  /** Line number, from 1. */
  readonly line: number;
  /** Column in the line, in bytes, from 1. */
  readonly column: number;
}

/**
 * Converts file offsets to positions with line and column. The caller must call `next` for every line
 * feed before the offset.
 */
export class NewlineCounter {
  #line: number;
  #start: number;

  /** Creates a counter that starts at this position. Default: the start of a file. */
  constructor({ offset, line, column }: FilePlace = { offset: 0, line: 1, column: 1 }) {
    this.#line = line;
    this.#start = offset - column + 1;
  }

  /** Records that a new line starts at this file offset. */
  next(offset: number): void {
    this.#line++;
    this.#start = offset;
  }

  /** Returns the position of a file offset, which must be in the current line. */
  place(offset: number): FilePlace {
    return { offset, line: this.#line, column: offset - this.#start + 1 };
  }
}
