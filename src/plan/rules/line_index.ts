/** Maximum length of the text shown on each side of a position, in UTF-16 units. */
const CONTEXT = 60;

/** A position in a text, with the text around it on the same line. */
export interface TextPlace {
  /** Line number, from 1. */
  readonly line: number;
  /** Column number in UTF-16 units, from 1. */
  readonly column: number;
  /**
   * Text between the start of the line and the position, limited to the last 60 UTF-16 units.
   * Control characters are not escaped.
   */
  readonly before: string;
  /**
   * Text between the position and the end of the line, limited to the first 60 UTF-16 units.
   * Control characters are not escaped.
   */
  readonly after: string;
}

/**
 * Converts between offsets in a text and line and column numbers. Offsets and columns are in UTF-16
 * units.
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
   * Converts a line and a column (both from 1) to an offset. Lines past the end of the text are
   * treated as starting there.
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
