import { hidePasswords } from "../text/user_info.ts";

/** Maximum length of the text shown on each side of a position, in UTF-16 code units. */
const CONTEXT = 60;
/**
 * Maximum length of the text that is searched for passwords on each side of a position, in UTF-16
 * code units.
 */
const SEARCHED = 2_000;

/** A line and column number, with the surrounding text of the line. */
export interface TextPlace {
  /** One-based line number. */
  readonly line: number;
  /** One-based column number, in UTF-16 code units. */
  readonly column: number;
  /**
   * Text between the start of the line and the position: at most the last 60 UTF-16 code units,
   * preceded by `…` if there are more. Passwords in URLs are hidden. Control characters are not
   * escaped.
   */
  readonly before: string;
  /**
   * Text between the position and the end of the line: at most the first 60 UTF-16 code units,
   * followed by `…` if there are more. Passwords in URLs are hidden. Control characters are not
   * escaped.
   */
  readonly after: string;
}

/**
 * Converts offsets in a string to line and column numbers, and the reverse. Offsets and columns are
 * in UTF-16 code units.
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
   * Converts a zero-based offset to a position. Offsets past the end are treated as the end of the
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
    const from = Math.max(this.#starts[low], at - SEARCHED);
    // Hide passwords before cutting the text, because a partial URL would not be recognized.
    const near = hidePasswords(
      this.#text.slice(from, Math.min(this.#starts[high] ?? Infinity, at + SEARCHED)),
    );
    const [before, after] = [near.slice(0, at - from), near.slice(at - from)];
    return {
      line: low + 1,
      column: at - this.#starts[low] + 1,
      before: before.length > CONTEXT ? `…${before.slice(-CONTEXT)}` : before,
      after: cutEnd(after.replace(/\r?\n$/, "")),
    };
  }

  /**
   * Converts a one-based line and column to an offset. A line past the end of the text is
   * treated as if it started at the end.
   */
  offset(line: number, column: number): number {
    return (this.#starts[line - 1] ?? this.#text.length) + column - 1;
  }
}

function cutEnd(text: string): string {
  return text.length > CONTEXT ? `${text.slice(0, CONTEXT)}…` : text;
}
