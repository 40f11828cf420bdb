/** Maximum length of the text shown on each side of a position, in UTF-16 units. */
const CONTEXT = 60;

/** A line and column number, with the surrounding text of the line. */
export interface TextPlace {
  /** Line number, from 1. */
  readonly line: number;
  /** Column number in UTF-16 units, from 1. */
  readonly column: number;
  /**
   * Text between the start of the line and the position: at most the last 60 UTF-16 units, preceded
   * by `…` if there are more. Control characters are not escaped.
   */
  readonly before: string;
  /**
   * Text between the position and the end of the line: at most the first 60 UTF-16 units, followed
   * by `…` if there are more. Control characters are not escaped.
   */
  readonly after: string;
}

/**
 * Converts offsets in a string to line and column numbers, and the reverse. Offsets and columns are
 * in UTF-16 units.
 */
export class LineIndex {
  readonly #starts: number[] = [0];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /**
   * Converts an offset (from 0) to a position. Offsets past the end are treated as the end of the
   * text.
   */
  place(offset: number): TextPlace {
    const at = Math.min(offset, this.#text.length);
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= at) low = middle;
      else high = middle;
    }
    return {
      line: low + 1,
      column: at - this.#starts[low] + 1,
      before: this.#before(this.#starts[low], at),
      after: this.#after(at, this.#starts[high] ?? Infinity),
    };
  }

  /**
   * Converts a line and a column (both from 1) to an offset. A line past the end of the text is
   * treated as if it started at the end.
   */
  offset(line: number, column: number): number {
    return (this.#starts[line - 1] ?? this.#text.length) + column - 1;
  }

  #before(start: number, at: number): string {
    const text = this.#text.slice(Math.max(start, at - CONTEXT), at);
    return at - start > CONTEXT ? `…${text}` : text;
  }

  #after(at: number, next: number): string {
    const rest = this.#text.slice(at, Math.min(next, at + CONTEXT + 1)).replace(/\r?\n$/, "");
    return rest.length > CONTEXT ? `${rest.slice(0, CONTEXT)}…` : rest;
  }
}
