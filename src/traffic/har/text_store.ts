import type { FileRanges } from "../../base/bytes/file_ranges.ts";
import { ByteScanner, type LongString } from "./scan/byte_scanner.ts";

/** A string in a `TextStore`. */
export interface StoredText {
  /**
   * The text in UTF-8. Absent if the text contains a lone surrogate. If the text is read from the
   * file, this array is valid only until the next text is read.
   */
  readonly utf8?: Uint8Array;
  /**
   * Position of the JSON string in the file. Undefined if the text was not read from a JSON string.
   */
  readonly range?: TextRange;
  /** Decodes and returns the text. */
  text(): string;
}

const SLAB = 4 * 2 ** 20;
/** Maximum size in bytes of a string that shares a buffer with others. */
const LONGEST_SHARED = SLAB / 16;

/** Position of a JSON string in the file. */
export interface TextRange {
  readonly offset: number;
  /** Length in bytes, including the quotation marks. */
  readonly length: number;
}

/**
 * Stores response bodies as UTF-8 outside the garbage-collected heap, so that the garbage collector
 * never moves them. For a large recording, this halves the memory use and the time to read it. If
 * the file can be read again, stores only the position of a JSON string in the file.
 */
export class TextStore {
  readonly #file: FileTexts | undefined;
  readonly #encoder = new TextEncoder();
  #slab = new Uint8Array();
  #used = 0;

  /**
   * Creates a store. `file` is the file that contains the strings, or undefined if it cannot be
   * read again.
   */
  constructor(file?: FileRanges) {
    this.#file = file && new FileTexts(file);
  }

  /** Stores `text`. */
  put(text: string): StoredText {
    // UTF-8 cannot encode lone surrogates.
    if (!text.isWellFormed()) return { text: () => text };
    if (3 * text.length > LONGEST_SHARED) return new Utf8Text(this.#encoder.encode(text));
    this.#reserve(3 * text.length);
    const start = this.#used;
    this.#used += this.#encoder.encodeInto(text, this.#slab.subarray(start)).written;
    return new Utf8Text(this.#slab, start, this.#used);
  }

  /** Stores the text of a well-formed string. */
  putJson(string: LongString): StoredText {
    if (this.#file !== undefined) return new FileText(this.#file, string);
    const utf8 = string.utf8()!;
    if (utf8.length > LONGEST_SHARED) return new Utf8Text(utf8.slice());
    this.#reserve(utf8.length);
    const start = this.#used;
    this.#slab.set(utf8, start);
    this.#used += utf8.length;
    return new Utf8Text(this.#slab, start, this.#used);
  }

  /** Starts a new slab if fewer than `size` bytes of the current one are free. */
  #reserve(size: number): void {
    if (this.#slab.length - this.#used >= size) return;
    this.#slab = new Uint8Array(SLAB);
    this.#used = 0;
  }
}

/** A string in a part of a buffer. It keeps no view of this part, which needs 100 bytes. */
class Utf8Text implements StoredText {
  readonly #buffer: Uint8Array;
  readonly #start: number;
  readonly #end: number;

  constructor(buffer: Uint8Array, start = 0, end = buffer.length) {
    this.#buffer = buffer;
    this.#start = start;
    this.#end = end;
  }

  get utf8(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  text(): string {
    return decodeText(this.utf8);
  }
}

/** A string that is read from the file each time it is needed. */
class FileText implements StoredText, TextRange {
  readonly offset: number;
  readonly length: number;
  readonly #file: FileTexts;

  constructor(file: FileTexts, { offset, length }: TextRange) {
    this.offset = offset;
    this.length = length;
    this.#file = file;
  }

  get range(): TextRange {
    return this;
  }

  get utf8(): Uint8Array {
    return this.#file.read(this);
  }

  text(): string {
    return decodeText(this.utf8);
  }
}

/** Reads JSON strings from a file. */
export class FileTexts {
  readonly #file: FileRanges;
  readonly #scanner = new ByteScanner();

  constructor(file: FileRanges) {
    this.#file = file;
  }

  /**
   * Returns the text of the JSON string at a position, as a view that is valid until the next call.
   */
  read({ offset, length }: TextRange): Uint8Array {
    this.#scanner.load(this.#file.read(offset, length), this.#scanner.end);
    try {
      const { start } = this.#scanner;
      const utf8 = this.#scanner.unescape(start, start + length);
      if (utf8 !== undefined) return utf8;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    // The string was valid when the file was first read, so the file has changed.
    throw this.#file.changedError();
  }
}

/** Decodes the text of a body. Keeps a byte order mark at its start. */
export function decodeText(utf8: Uint8Array): string {
  return DECODER.decode(utf8);
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
