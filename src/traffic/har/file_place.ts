/** A position in a file. */
export interface FilePlace {
  /** Byte offset, from 0. */
  readonly offset: number;
  /** Line, from 1. */
  readonly line: number;
  /** Column in bytes, from 1. */
  readonly column: number;
}

/** Converts offsets to positions. The caller reports every line feed before them with `next`. */
export class NewlineCounter {
  #line: number;
  #start: number;

  /** Starts to count at a position. */
  constructor({ offset, line, column }: FilePlace = { offset: 0, line: 1, column: 1 }) {
    this.#line = line;
    this.#start = offset - column + 1;
  }

  /** Records that a line starts at this offset. */
  next(offset: number): void {
    this.#line++;
    this.#start = offset;
  }

  /** Returns the position of an offset in the current line. */
  place(offset: number): FilePlace {
    return { offset, line: this.#line, column: offset - this.#start + 1 };
  }
}
