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
