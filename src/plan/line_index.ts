/** Lines and columns (UTF-16 units, from 1) of the offsets of a text. */
export class LineIndex {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** The place of an offset; of one behind the text, its end. */
  place(offset: number): { line: number; column: number } {
    const at = Math.min(offset, this.#length);
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= at) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: at - this.#starts[low] + 1 };
  }
}
