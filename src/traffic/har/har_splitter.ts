import * as ascii from "../../base/ascii.ts";
import { InputError } from "../../base/errors.ts";
import type { JsonObject } from "./har_fields.ts";
import { closingQuote } from "./json_body.ts";
import { findJsonFault } from "./json_fault.ts";
import type { FilePlace } from "./recording.ts";

const { BACKSLASH, COMMA, CR, LF, QUOTE, SPACE, TAB, ZERO } = ascii;
const { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET } = ascii;

/** Number of brackets that are open between the elements of `log.entries`. */
const ENTRY_DEPTH = 3;
/** Maximum length in bytes of the JSON strings `"log"` and `"entries"`, with escape sequences. */
const LONGEST_NAME = 64;
/** Bytes of the UTF-8 byte order mark. */
const MARK = [0xef, 0xbb, 0xbf];
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Splits a HAR that arrives in chunks into the elements of `log.entries` and the rest of the file:
 *
 *     { "log": { "version": "1.2", "entries": [ {…}, {…}, {…} ], "pages": […] } }
 *
 * Only skips strings and counts brackets. `JSON.parse` validates each entry and, at the end, the
 * rest of the file, in which `0` replaces each entry.
 */
export class HarSplitter {
  readonly #name: string;
  readonly #found: (entry: unknown, place: FilePlace) => void;
  readonly #rest: ByteBuffer;
  /** The current entry. */
  readonly #entry: ByteBuffer;
  /** Position after the delimiter before the current entry. */
  #entryPlace: FilePlace = { offset: 0, line: 1, column: 1 };
  /** Offsets in the rest after each entry, and their positions in the file. */
  readonly #cuts = [{ at: 0, place: this.#entryPlace }];
  /** File offset of the current chunk. */
  #offset = 0;
  #line = 1;
  /** File offset of the current line. */
  #lineStart = 0;
  /** Number of open brackets. */
  #depth = 0;
  #isOpened = false;
  #isInEntries = false;
  #isInString = false;
  /** True if an escape sequence continues in the next chunk. */
  #isEscaped = false;
  /** Offset in the rest of the last string at each depth outside the entries. */
  readonly #strings: number[] = [];

  /**
   * Creates a splitter for the input `name`. It calls `found` for each entry, in file order. `place`
   * is the position of its first byte. `entry` is undefined if it has more than `largest` bytes.
   */
  constructor(
    name: string,
    largest: number,
    found: (entry: unknown, place: FilePlace) => void,
  ) {
    this.#name = name;
    this.#rest = new ByteBuffer(largest);
    this.#entry = new ByteBuffer(largest);
    this.#found = found;
  }

  /** Reads the next bytes of the file. Throws InputError if they are not JSON or not a HAR. */
  push(chunk: Uint8Array): void {
    /** Start of the bytes that are not yet in `#rest` or `#entry`. */
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#isInString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at];
      if (this.#depth === 0) this.#checkOutside(byte, at);
      switch (byte) {
        case LF:
          this.#line++;
          this.#lineStart = this.#offset + at + 1;
          break;
        case QUOTE:
          this.#isInString = true;
          if (this.#depth < ENTRY_DEPTH) this.#strings[this.#depth] = this.#rest.length + at - from;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (++this.#depth === ENTRY_DEPTH && byte === OPEN_BRACKET) {
            this.#rest.append(chunk.subarray(from, at + 1));
            from = at + 1;
            this.#isInEntries = this.#nameAt(1) === "log" && this.#nameAt(2) === "entries";
            this.#entryPlace = this.#placeAt(from);
          }
          break;
        case COMMA:
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (this.#isInEntries && this.#depth === ENTRY_DEPTH) {
            this.#entry.append(chunk.subarray(from, at));
            from = at + 1;
            this.#endEntry(at);
            this.#rest.append(chunk.subarray(at, from));
            this.#isInEntries = byte === COMMA;
          }
          if (byte !== COMMA) this.#depth--;
      }
    }
    (this.#isInEntries ? this.#entry : this.#rest).append(chunk.subarray(from));
    this.#offset += chunk.length;
    if (this.#rest.isFull) this.#fail("the members other than `log.entries` are too large");
  }

  /**
   * Ends the input, and returns `log` with `0` in place of each entry. Throws InputError if the HAR
   * is incomplete or has no `log.entries`.
   */
  finish(): JsonObject {
    if (!this.#isOpened) this.#fail("it is empty, expected a JSON object");
    const { bytes } = this.#rest;
    const { log } = this.#parse(bytes.subarray(markLength(bytes))) as JsonObject;
    const isHar = typeof log === "object" && Array.isArray((log as JsonObject | null)?.entries);
    if (!isHar) this.#fail("it is JSON, but not a HAR: it has no list `log.entries`");
    return log as JsonObject;
  }

  /**
   * Returns the offset of the quotation mark that ends the current string, or an offset after the
   * chunk if the string continues.
   */
  #skipString(chunk: Uint8Array, start: number): number {
    let at = this.#isEscaped ? start + 1 : start;
    while (at < chunk.length && chunk[at] !== QUOTE) at += chunk[at] === BACKSLASH ? 2 : 1;
    this.#isInString = at >= chunk.length;
    this.#isEscaped = at > chunk.length;
    return at;
  }

  /** Checks a byte before or after the object that is the content of the file. */
  #checkOutside(byte: number, at: number): void {
    const offset = this.#offset + at;
    if (isSpace(byte) || (offset < MARK.length && byte === MARK[offset])) return;
    const isFirst = !this.#isOpened;
    this.#isOpened = true;
    if (isFirst && byte === OPEN_BRACE) return;
    const found = `found ${JSON.stringify(String.fromCharCode(byte))}`;
    const reason = isFirst
      ? `it is not a HAR: ${found}, expected a JSON object`
      : `${found} after the end of the HAR`;
    this.#fail(isUtf16(byte) ? UTF16 : reason, this.#placeAt(at));
  }

  /** Returns the last string at a depth, which is the name of the list that was opened last. */
  #nameAt(depth: number): unknown {
    const start = this.#strings[depth];
    const text = DECODER.decode(this.#rest.bytes.subarray(start, start + LONGEST_NAME));
    try {
      return JSON.parse(text.slice(0, closingQuote(text, 1) + 1));
    } catch {
      return undefined;
    }
  }

  /** Ends the current entry, and starts the next one after the delimiter at `at`. */
  #endEntry(at: number): void {
    const { bytes, isFull } = this.#entry;
    let start = 0;
    while (isSpace(bytes[start])) start++;
    if (isFull || start < bytes.length) {
      const place = placeAfter(bytes.subarray(0, start), this.#entryPlace);
      this.#found(isFull ? undefined : this.#parse(bytes), place);
      this.#rest.append(Uint8Array.of(ZERO));
    }
    this.#cuts.push({ at: this.#rest.length, place: this.#placeAt(at) });
    this.#entryPlace = this.#placeAt(at + 1);
    this.#entry.clear();
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return JSON.parse(DECODER.decode(bytes));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#failInJson();
    }
  }

  /** Throws InputError for the first syntax error in the rest of the file and the current entry. */
  #failInJson(): never {
    this.#rest.append(this.#entry.bytes);
    const { bytes } = this.#rest;
    const start = markLength(bytes);
    const { offset, reason } = findJsonFault(bytes.subarray(start))!;
    const at = start + offset;
    const cut = this.#cuts.findLast((cut) => cut.at <= at)!;
    const place = placeAfter(bytes.subarray(cut.at, at), cut.place);
    const isCut = at === bytes.length;
    const advice = isCut ? "; the file is incomplete, save or copy it again" : "";
    this.#fail(isUtf16(bytes[at]) ? UTF16 : reason + advice, place);
  }

  /** Returns the position of a byte of the current chunk that is in the current line. */
  #placeAt(at: number): FilePlace {
    const offset = this.#offset + at;
    return { offset, line: this.#line, column: offset - this.#lineStart + 1 };
  }

  #fail(reason: string, place = this.#placeAt(0)): never {
    throw new InputError(`cannot read the HAR: ${reason}`, { source: this.#name, ...place });
  }
}

/** Bytes that were appended, in one buffer. */
class ByteBuffer {
  readonly #largest: number;
  #buffer = new Uint8Array(1 << 16);
  #isFull = false;
  /** Number of bytes. */
  length = 0;

  constructor(largest: number) {
    this.#largest = largest;
  }

  /** True if more bytes were appended than the maximum. All bytes were then removed. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The bytes, as a view that is valid until the next change. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (this.#isFull || length > this.#largest) {
      this.#isFull = true;
      this.length = 0;
      return;
    }
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.length);
    this.length = length;
  }

  clear(): void {
    this.length = 0;
    this.#isFull = false;
  }
}

const UTF16 = "it is UTF-16, expected UTF-8; save it as UTF-8";

/** Reports whether a byte shows that text is UTF-16. JSON in UTF-8 does not contain such bytes. */
function isUtf16(byte: number): boolean {
  return byte === 0 || byte >= 0xfe;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

/** Returns the length of the byte order mark at the start of `bytes`, or 0. */
function markLength(bytes: Uint8Array): number {
  return MARK.every((byte, i) => bytes[i] === byte) ? MARK.length : 0;
}

/** Returns the position after `bytes`, which start at `place`. */
function placeAfter(bytes: Uint8Array, { offset, line, column }: FilePlace): FilePlace {
  const lineFeed = bytes.lastIndexOf(LF);
  return {
    offset: offset + bytes.length,
    line: line + bytes.filter((byte) => byte === LF).length,
    column: lineFeed < 0 ? column + bytes.length : bytes.length - lineFeed,
  };
}
