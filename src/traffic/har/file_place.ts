/** A place in a file: bytes from 0; line and column (in bytes) from 1. */
export interface FilePlace {
  /** Bytes before it. */
  readonly offset: number;
  /** Line feeds before it, and one. */
  readonly line: number;
  /** Bytes before it in its line, and one. */
  readonly column: number;
}

/** Knows the place of an offset, told of every line feed before it. */
export class NewlineCounter {
  #line: number;
  #start: number;

  /** Counts on from a place. */
  constructor({ offset, line, column }: FilePlace = { offset: 0, line: 1, column: 1 }) {
    this.#line = line;
    this.#start = offset - column + 1;
  }

  /** A line starts at this offset. */
  next(offset: number): void {
    this.#line++;
    this.#start = offset;
  }

  /** The place of an offset in the current line. */
  place(offset: number): FilePlace {
    return { offset, line: this.#line, column: offset - this.#start + 1 };
  }
}
