import { ESCAPED_UNIT, RESULT, SLACK, STRING_BYTES, STRINGS, TEXT } from "./addresses.ts";
import { reserveMemory, type ScannerProgram, startScanner } from "./scanner_program.ts";

/** Result of `ByteScanner.scan`. All offsets are offsets in the file. */
export interface Scanned {
  /**
   * Offset after the value if `found` is true, and otherwise the offset at which to continue. It is
   * one past the end of the range if the range ends in a backslash within a string.
   */
  readonly end: number;
  /** True if the end of the value was found in the loaded bytes. */
  readonly found: boolean;
  /** Number of line feeds outside strings. */
  readonly newlines: number;
  /** Offset after the last line feed outside strings. Meaningless if `newlines` is 0. */
  readonly lineStart: number;
  /** The strings of 512 bytes to 32 MiB that end in the scanned bytes. */
  readonly longStrings: readonly LongString[];
}

/**
 * A JSON string of 512 bytes to 32 MiB. Its methods can be called until the bytes of the string are
 * removed from the scanner.
 */
export class LongString {
  /** File offset of the string's opening quotation mark. */
  readonly offset: number;
  /** Length in bytes, including the quotation marks. */
  readonly length: number;
  /** True if the string is known to be valid JSON, and to contain no escaped surrogates. */
  readonly isPlain: boolean;
  /** Maximum length of a UTF-16 code unit in bytes. */
  readonly longestUnit: number;
  readonly #scanner: ByteScanner;
  #isChecked: boolean;

  constructor(scanner: ByteScanner, start: number, end: number, longestUnit: number) {
    this.offset = start;
    this.length = end - start;
    this.isPlain = longestUnit !== 0;
    this.longestUnit = longestUnit || ESCAPED_UNIT;
    this.#isChecked = this.isPlain;
    this.#scanner = scanner;
  }

  /** The JSON string in UTF-8, with quotation marks and escapes. */
  get json(): Uint8Array {
    return this.#scanner.slice(this.offset, this.offset + this.length);
  }

  /** Returns the text in UTF-8. Results and errors are those of `ByteScanner.unescape`. */
  utf8(): Uint8Array | undefined {
    const utf8 = this.#scanner.unescape(this.offset, this.offset + this.length);
    this.#isChecked = true;
    return utf8;
  }

  /** Throws SyntaxError if the string is not valid JSON. */
  check(): void {
    if (!this.#isChecked) this.utf8();
  }

  /**
   * Reports whether the text contains no lone surrogates, so that UTF-8 can encode it. Throws
   * SyntaxError if the string is not valid JSON.
   */
  isWellFormed(): boolean {
    return this.isPlain || this.utf8() !== undefined;
  }
}

/** Size of an i32 in bytes. */
const WORD = 4;
const NO_STRINGS: readonly LongString[] = [];

/** Maximum length, in bytes, of a JSON string that `unescape` accepts (32 MiB). */
const LONGEST_UNESCAPED: number = 32 * 2 ** 20;

/**
 * Scans JSON text in a part of a file, to which `load` appends chunks. Uses WebAssembly to scan 16
 * bytes at a time. All positions are offsets in the file.
 */
export class ByteScanner {
  readonly #program: ScannerProgram;
  #memory: Uint8Array;
  /** The memory before the text. */
  #words: Int32Array;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array();

  constructor() {
    // bench: scripts/bench/har.ts, half of the CPU time to read a HAR
    this.#program = startScanner();
    this.#memory = new Uint8Array(this.#program.memory.buffer);
    this.#words = wordsIn(this.#memory);
    this.#program.fillRemovals();
  }

  /** File offset of the first loaded byte. */
  get start(): number {
    return this.#start;
  }

  /** File offset after the last loaded byte. */
  get end(): number {
    return this.#start + this.#bytes.length;
  }

  /** The loaded bytes, as a view that is valid until the next call to `load`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Returns the bytes at `[from, to)`, as a view that is valid until the next call to `load`. */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }

  /**
   * Appends the next bytes of the file, and removes those before `keepFrom`. Removes all bytes if
   * `keepFrom` is after them.
   */
  load(chunk: Uint8Array, keepFrom: number): void {
    const removed = Math.min(keepFrom - this.#start, this.#bytes.length);
    const kept = this.#bytes.length - removed;
    const length = kept + chunk.length;
    // Room for the result of `unescape`: the memory must not grow while views of the text are in
    // use.
    this.#reserve(length + Math.min(length, LONGEST_UNESCAPED));
    if (removed > 0 && kept > 0) {
      this.#memory.copyWithin(TEXT, TEXT + removed, TEXT + removed + kept);
    }
    this.#memory.set(chunk, TEXT + kept);
    this.#bytes = this.#memory.subarray(TEXT, TEXT + length);
    this.#start += removed;
    this.#program.move(-removed);
  }

  /** Prepares `scan` to find the end of another value: a string, an object or a list. */
  begin(): void {
    this.#program.begin();
  }

  /** Searches the loaded bytes from `from` for the end of the value. */
  scan(from: number): Scanned {
    // Offset in the file of address 0.
    const base = this.#start - TEXT;
    const end = this.#program.scan(from - base, TEXT + this.#bytes.length);
    // Reading memory is faster than reading globals of the program.
    const words = this.#words;
    const count = words[RESULT / WORD + 3];
    return {
      end: end + base,
      found: words[RESULT / WORD] !== 0,
      newlines: words[RESULT / WORD + 1],
      lineStart: words[RESULT / WORD + 2] + base,
      longStrings: count === 0 ? NO_STRINGS : this.#longStrings(count, base),
    };
  }

  #longStrings(count: number, base: number): LongString[] {
    const words = this.#words;
    const strings: LongString[] = [];
    for (let i = 0, at = STRINGS / WORD; i < count; i++, at += STRING_BYTES / WORD) {
      const [start, end] = [words[at], words[at + 1]];
      if (end - start > LONGEST_UNESCAPED) continue;
      strings.push(new LongString(this, start + base, end + base, words[at + 2]));
    }
    return strings;
  }

  /**
   * Resolves the escapes of the JSON string at `[from, to)`, which includes the quotation marks.
   * `scan` must have found this string, and it must have at most 32 MiB. Returns the text in UTF-8,
   * as a view that is valid until the next call to `unescape` or `load`. Returns undefined if the
   * string contains a lone surrogate, which UTF-8 cannot encode. Throws SyntaxError if it is not a
   * valid JSON string.
   */
  unescape(from: number, to: number): Uint8Array | undefined {
    const base = this.#start - TEXT;
    const into = TEXT + this.#bytes.length + SLACK;
    const length = this.#program.unescape(from + 1 - base, to - 1 - base, into);
    if (length === -1) throw new SyntaxError("invalid JSON string");
    return length < 0 ? undefined : this.#memory.subarray(into, into + length);
  }

  /**
   * Ensures that the memory has room for `size` bytes from the start of the text, plus the slack
   * after the text and after the result of `unescape`.
   */
  #reserve(size: number): void {
    const end = TEXT + size + 2 * SLACK;
    if (end <= this.#memory.length) return;
    this.#memory = reserveMemory(this.#program, end);
    this.#words = wordsIn(this.#memory);
  }
}

function wordsIn(memory: Uint8Array): Int32Array {
  return new Int32Array(memory.buffer, 0, TEXT / WORD);
}
