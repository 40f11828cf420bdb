/** Maximum context on each side of a position, in UTF-16 units. */
const CONTEXT = 60;

/** A position in a text. `line` and `column` (in UTF-16 units) count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
  /** Text before the position on its line, shortened. It is not escaped for terminals. */
  readonly before: string;
  /** Text from the position to the end of its line, shortened. It is not escaped for terminals. */
  readonly after: string;
}

/** Converts offsets of a text to lines and columns (UTF-16 units, from 1), and back. */
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
   * Returns the position of an offset in UTF-16 units. An offset past the end of the text counts as its
   * end.
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
   * Returns the offset of a line and column, which count from 1. A line past the end counts as starting
   * at the end of the text.
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
