import { RESULT, SLACK, STRING_BYTES, STRINGS, TEXT } from "./addresses.ts";
import { reserveMemory, type ScannerProgram, startScanner } from "./scanner_program.ts";

/** Result of `ByteScanner.scan`. All offsets are in the loaded text. */
export interface Scanned {
  /**
   * Offset after the value if `found` is true, and otherwise the offset at which to continue. It is
   * one past the end of the range if the range ends in a backslash within a string.
   */
  readonly end: number;
  /** True if the end of the value was found in the scanned text. */
  readonly found: boolean;
  /** Number of line feeds outside strings. */
  readonly newlines: number;
  /** Offset after the last line feed outside strings. Meaningless if `newlines` is 0. */
  readonly lineStart: number;
  /** The strings of at least 512 bytes in the scanned text. */
  readonly longStrings: readonly ScannedString[];
}

/** A long JSON string. Offsets include its quotation marks. */
export interface ScannedString {
  /**
   * Offset of the opening quotation mark in the loaded text. Negative if the string starts before
   * the text.
   */
  readonly start: number;
  readonly end: number;
  /**
   * Length of the text in UTF-16 code units. Approximate if the text is not valid UTF-8. Undefined
   * if the string may be invalid or contains a Unicode escape. In that case, only `unescape`
   * returns the length.
   */
  readonly units: number | undefined;
}

/** The text of a JSON string, with its escape sequences resolved. */
export interface Unescaped {
  /** The text in UTF-8, as a view that is valid until the next call to `unescape` or `load`. */
  readonly bytes: Uint8Array;
  /** Length of the text in UTF-16 code units. Approximate if the text is not valid UTF-8. */
  readonly units: number;
}

const NO_STRINGS: readonly ScannedString[] = [];

/** Maximum length, in bytes, of a JSON string that `unescape` accepts (32 MiB). */
export const LONGEST_UNESCAPED: number = 32 * 2 ** 20;

/**
 * Scans JSON text in a buffer, to which `load` appends chunks. Uses WebAssembly to scan 16 bytes at
 * a time.
 */
export class ByteScanner {
  readonly #program: ScannerProgram;
  #memory: Uint8Array;
  #result: Int32Array;
  #length = 0;

  constructor() {
    // bench: scripts/bench/har.ts, half of the CPU time to read a HAR
    this.#program = startScanner();
    this.#memory = new Uint8Array(this.#program.memory.buffer);
    this.#result = new Int32Array(this.#program.memory.buffer, RESULT, 4);
    this.#program.fillRemovals();
  }

  /** The loaded text, as a view that is valid until the next call to `load`. */
  get text(): Uint8Array {
    return this.#memory.subarray(TEXT, TEXT + this.#length);
  }

  /** Removes the text before offset `from`, and appends `chunk` to the rest. */
  load(from: number, chunk: Uint8Array): void {
    const kept = this.#length - from;
    const length = kept + chunk.length;
    // Room for the result of `unescape`: the memory must not grow while views of the text are in
    // use.
    this.#reserve(length + Math.min(length, LONGEST_UNESCAPED));
    if (from > 0 && kept > 0) this.#memory.copyWithin(TEXT, TEXT + from, TEXT + this.#length);
    this.#memory.set(chunk, TEXT + kept);
    this.#length = length;
    this.#program.move(-from);
  }

  /** Prepares `scan` to find the end of another value: a string, an object or a list. */
  begin(): void {
    this.#program.begin();
  }

  /** Searches the text from offset `from` for the end of the value. */
  scan(from: number): Scanned {
    const end = this.#program.scan(TEXT + from, TEXT + this.#length) - TEXT;
    // Reading memory is faster than reading globals of the program.
    const [found, newlines, lineStart, strings] = this.#result;
    return {
      end,
      found: found !== 0,
      newlines,
      lineStart: lineStart - TEXT,
      longStrings: strings === 0 ? NO_STRINGS : this.#longStrings(strings),
    };
  }

  #longStrings(count: number): ScannedString[] {
    const list = new Int32Array(this.#memory.buffer, STRINGS, count * STRING_BYTES / 4);
    const strings: ScannedString[] = [];
    for (let i = 0; i < list.length; i += STRING_BYTES / 4) {
      const [start, end, units] = [list[i] - TEXT, list[i + 1] - TEXT, list[i + 2]];
      strings.push({ start, end, units: units < 0 ? undefined : units });
    }
    return strings;
  }

  /**
   * Resolves the escapes of the JSON string at offsets `[from, to)` of the text, which include the
   * quotation marks. `scan` must have found this string, and it must have at most
   * `LONGEST_UNESCAPED` bytes. Returns undefined if the string contains a lone surrogate, which
   * UTF-8 cannot encode. Throws SyntaxError if it is not a valid JSON string.
   */
  unescape(from: number, to: number): Unescaped | undefined {
    const into = TEXT + this.#length + SLACK;
    const length = this.#program.unescape(TEXT + from + 1, TEXT + to - 1, into);
    if (length === -1) throw new SyntaxError("invalid JSON string");
    if (length < 0) return undefined;
    return {
      bytes: this.#memory.subarray(into, into + length),
      units: this.#program.units.value,
    };
  }

  /**
   * Ensures that the memory has room for `size` bytes from the start of the text, plus the slack
   * after the text and after the result of `unescape`.
   */
  #reserve(size: number): void {
    const end = TEXT + size + 2 * SLACK;
    if (end <= this.#memory.length) return;
    this.#memory = reserveMemory(this.#program, end);
    this.#result = new Int32Array(this.#memory.buffer, RESULT, 4);
  }
}
