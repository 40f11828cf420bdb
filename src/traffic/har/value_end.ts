import type { ByteScanner, LongString } from "./scan/byte_scanner.ts";

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
  /** The strings of 512 bytes to 32 MiB within the value, in file order. */
  readonly longStrings: LongString[] = [];
  readonly #lines: NewlineCounter;
  readonly #isScalar: boolean;
  #found = false;

  /**
   * Starts searching for the end of a value with `scanner`. `firstByte` is the first byte of the
   * value. Reports the line feeds in the value to `lines`.
   */
  constructor(firstByte: number, scanner: ByteScanner, lines: NewlineCounter) {
    this.#lines = lines;
    this.#isScalar = ![QUOTE, OPEN_OBJECT, OPEN_LIST].includes(firstByte);
    scanner.begin();
  }

  /** True if the end of the value was found. */
  get found(): boolean {
    return this.#found;
  }

  /**
   * Continues the search for the end of the value at file offset `offset`. If the value ends in the
   * loaded bytes, sets `found` to true and returns the offset after the value. Otherwise, returns
   * the offset at which to continue, which is one byte past the loaded bytes if they end in a
   * backslash within a string.
   */
  follow(scanner: ByteScanner, offset: number): number {
    return this.#isScalar
      ? this.#followScalar(scanner, offset)
      : this.#followBrackets(scanner, offset);
  }

  #followScalar(scanner: ByteScanner, offset: number): number {
    const bytes = scanner.slice(offset, scanner.end);
    const length = bytes.findIndex((byte) =>
      byte <= 0x20 || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST
    );
    this.#found = length >= 0;
    return this.#found ? offset + length : scanner.end;
  }

  #followBrackets(scanner: ByteScanner, offset: number): number {
    let at = offset;
    while (at < scanner.end && !this.#found) {
      const { end, found, newlines, lineStart, longStrings } = scanner.scan(at);
      if (newlines > 0) this.#lines.next(lineStart, newlines);
      for (const string of longStrings) this.longStrings.push(string);
      this.#found = found;
      at = end;
    }
    return at;
  }
}
