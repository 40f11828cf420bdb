import type { ByteWindow, NewlineCounter } from "./file_window.ts";

const [QUOTE, BACKSLASH, NEWLINE, COMMA] = [0x22, 0x5c, 0x0a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE = 0x20;

/**
 * Finds the end of one JSON value in a stream of bytes. It tracks only strings and brackets; the caller
 * must validate the value afterwards.
 */
export class ValueEnd {
  readonly #lines: NewlineCounter;
  readonly #isScalar: boolean;
  #depth = 0;
  #inString = false;
  #found = false;

  /** Starts at a value with this first byte. Reports each line feed in the value to `lines`. */
  constructor(firstByte: number, lines: NewlineCounter) {
    this.#lines = lines;
    this.#isScalar = ![QUOTE, OPEN_OBJECT, OPEN_LIST].includes(firstByte);
  }

  /** True if the end of the value was found. */
  get found(): boolean {
    return this.#found;
  }

  /**
   * Continues the search at file offset `offset`. If `found` is true afterwards, returns the offset
   * after the value. Otherwise returns the offset at which to continue. That offset is one byte past
   * the window if the window ends in a backslash.
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

  /** Searches for the end of a string, object or list. Hot loop: it reads every byte of every entry. */
  #followBrackets({ bytes, start, end }: ByteWindow, offset: number): number {
    const length = end - start;
    let at = offset - start;
    let depth = this.#depth;
    let inString = this.#inString;
    let found = false;
    while (at < length && !found) {
      if (inString) {
        let byte = 0;
        while (at < length && (byte = bytes[at++]) !== QUOTE) if (byte === BACKSLASH) at++;
        inString = byte !== QUOTE;
        found = !inString && depth === 0;
        continue;
      }
      const byte = bytes[at++];
      if (byte === QUOTE) inString = true;
      else if ((byte | BRACE) === OPEN_OBJECT) depth++;
      else if ((byte | BRACE) === CLOSE_OBJECT) found = --depth === 0;
      else if (byte === NEWLINE) this.#lines.next(start + at);
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#found = found;
    return start + at;
  }
}
