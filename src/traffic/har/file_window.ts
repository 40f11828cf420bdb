/**
 * Buffer that holds the current part of a file while the file is read sequentially. All positions
 * are offsets in the file.
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

  /** File offset of the byte after the last buffered one. */
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

  /** Creates a counter that starts at the given position (default: the start of a file). */
  constructor({ offset, line, column }: FilePlace = { offset: 0, line: 1, column: 1 }) {
    this.#line = line;
    this.#start = offset - column + 1;
  }

  /** Records that a new line starts at the given file offset. */
  next(offset: number): void {
    this.#line++;
    this.#start = offset;
  }

  /** Returns the position of a file offset, which must be in the current line. */
  place(offset: number): FilePlace {
    return { offset, line: this.#line, column: offset - this.#start + 1 };
  }
}

const [QUOTE, BACKSLASH, NEWLINE, COMMA] = [0x22, 0x5c, 0x0a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE = 0x20;

/**
 * Finds the end of one JSON value in a stream of bytes. Tracks only strings and brackets, so the caller
 * must validate the value afterwards.
 */
export class ValueEnd {
  readonly #lines: NewlineCounter;
  readonly #isScalar: boolean;
  #depth = 0;
  #inString = false;
  #found = false;

  /** Starts the search at the first byte of a value. Reports each line feed in the value to `lines`. */
  constructor(firstByte: number, lines: NewlineCounter) {
    this.#lines = lines;
    this.#isScalar = ![QUOTE, OPEN_OBJECT, OPEN_LIST].includes(firstByte);
  }

  /** True if the end of the value was found. */
  get found(): boolean {
    return this.#found;
  }

  /**
   * Continues the search at file offset `offset`. Returns the offset after the value and sets
   * `found` if the value ends in the window. Otherwise, returns the offset at which to continue,
   * which is one byte past the window if the window ends in a backslash.
   */
  follow(window: ByteWindow, offset: number): number {
    return this.#isScalar
      ? this.#followScalar(window, offset)
      : this.#followBrackets(window, offset);
  }

  #followScalar(window: ByteWindow, offset: number): number {
    const bytes = window.slice(offset, window.end);
    const length = bytes.findIndex((byte) =>
      byte <= 0x20 || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST
    );
    this.#found = length >= 0;
    return this.#found ? offset + length : window.end;
  }

  /**
   * Searches for the end of a string, object or list. This is a hot loop: it reads every byte of
   * every entry.
   */
  #followBrackets({ bytes, start, end }: ByteWindow, offset: number): number {
    const length = end - start;
    let at = offset - start;
    let depth = this.#depth;
    let inString = this.#inString;
    let found = false;
    while (at < length && !found) {
      if (inString) {
        let byte = 0;
        while (at < length && (byte = bytes[at++]) !== QUOTE) if (byte === BACKSLASH) at++;
        inString = byte !== QUOTE;
        found = !inString && depth === 0;
        continue;
      }
      const byte = bytes[at++];
      if (byte === QUOTE) inString = true;
      else if ((byte | BRACE) === OPEN_OBJECT) depth++;
      else if ((byte | BRACE) === CLOSE_OBJECT) found = --depth === 0;
      else if (byte === NEWLINE) this.#lines.next(start + at);
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#found = found;
    return start + at;
  }
}
