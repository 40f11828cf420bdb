import type { ByteScanner, Scanned, ScannedString } from "./scan/byte_scanner.ts";

/**
 * Buffer for the current part of a file that is read sequentially. All positions are offsets in the
 * file.
 */
export class ByteWindow {
  readonly #scanner: ByteScanner;
  #bytes: Uint8Array = new Uint8Array();
  #start = 0;

  /** Creates an empty buffer in the memory of `scanner`. Do not use this scanner for other text. */
  constructor(scanner: ByteScanner) {
    this.#scanner = scanner;
  }

  /** The buffered bytes, as a view that is valid until the next `append`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** File offset of the first buffered byte. */
  get start(): number {
    return this.#start;
  }

  /** File offset after the last buffered byte. */
  get end(): number {
    return this.#start + this.#bytes.length;
  }

  /** Appends the next bytes of the file and discards those before file offset `keepFrom`. */
  append(chunk: Uint8Array, keepFrom: number): void {
    const discarded = Math.min(keepFrom - this.#start, this.#bytes.length);
    this.#scanner.load(discarded, chunk);
    this.#bytes = this.#scanner.text;
    this.#start += discarded;
  }

  /**
   * Returns a view of the bytes at file offsets `[from, to)`, which must be in the buffer. The view
   * is valid until the next `append`.
   */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }

  /**
   * Continues the search for the end of a value at file offset `from`. The value is the string,
   * object or list that started after the last `beginValue`. The offsets in the result are file
   * offsets.
   */
  scan(from: number): Scanned {
    const { end, found, newlines, lineStart, longStrings } = this.#scanner.scan(from - this.#start);
    return {
      end: end + this.#start,
      found,
      newlines,
      lineStart: lineStart + this.#start,
      longStrings: longStrings.length === 0
        ? longStrings
        : longStrings.map(({ start, end, units }) => (
          { start: start + this.#start, end: end + this.#start, units }
        )),
    };
  }

  /** Prepares `scan` for the next value. */
  beginValue(): void {
    this.#scanner.begin();
  }
}

/** A position in a file. */
export interface FilePlace {
  /** Zero-based byte offset in the file. */
  readonly offset: number;
  /** One-based line number. */
  readonly line: number;
  /** One-based column in the line, in bytes. */
  readonly column: number;
}

/**
 * Converts file offsets to positions with line and column. The caller must call `next` for every
 * line feed before the offset.
 */
export class NewlineCounter {
  #line: number;
  #start: number;

  /** Creates a counter that starts at the given position (default: the start of a file). */
  constructor({ offset, line, column }: FilePlace = { offset: 0, line: 1, column: 1 }) {
    this.#line = line;
    this.#start = offset - column + 1;
  }

  /** Records `count` line feeds. `offset` is the file offset after the last of them. */
  next(offset: number, count = 1): void {
    this.#line += count;
    this.#start = offset;
  }

  /** Returns the line and the column of a file offset, which must be in the current line. */
  place(offset: number): FilePlace {
    return { offset, line: this.#line, column: offset - this.#start + 1 };
  }
}

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Finds the end of one JSON value in a stream of bytes. Tracks only strings and brackets, so the
 * caller must validate the value afterwards.
 */
export class ValueEnd {
  /**
   * The strings of at least 512 bytes within the value, in file order. Their offsets are offsets in
   * the file.
   */
  readonly longStrings: ScannedString[] = [];
  readonly #lines: NewlineCounter;
  readonly #isScalar: boolean;
  #found = false;

  /**
   * Starts searching for the end of a value in `window`. `firstByte` is the first byte of the
   * value. Reports the line feeds in the value to `lines`.
   */
  constructor(firstByte: number, window: ByteWindow, lines: NewlineCounter) {
    this.#lines = lines;
    this.#isScalar = ![QUOTE, OPEN_OBJECT, OPEN_LIST].includes(firstByte);
    window.beginValue();
  }

  /** True if the end of the value was found. */
  get found(): boolean {
    return this.#found;
  }

  /**
   * Continues the search for the end of the value at file offset `offset`. If the value ends in the
   * window, sets `found` to true and returns the offset after the value. Otherwise, returns the
   * offset at which to continue, which is one byte past the window if the window ends in a
   * backslash within a string.
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

  #followBrackets(window: ByteWindow, offset: number): number {
    let at = offset;
    while (at < window.end && !this.#found) {
      const { end, found, newlines, lineStart, longStrings } = window.scan(at);
      if (newlines > 0) this.#lines.next(lineStart, newlines);
      for (const string of longStrings) this.longStrings.push(string);
      this.#found = found;
      at = end;
    }
    return at;
  }
}
