import { ByteScanner, type LongString } from "./scan/byte_scanner.ts";
import { type FilePlace, NewlineCounter, ValueEnd } from "./value_end.ts";
import { SplitError, splitErrorIn } from "./split_error.ts";

/** One complete value of a HAR file. Its bytes are valid only until the callback returns. */
export interface HarValue {
  /**
   * Container of the value: `entries` for an element of `log.entries`, otherwise the object that
   * contains the value.
   */
  readonly of: "root" | "log" | "entries";
  /** Name of the member. Empty for an element of `log.entries`. */
  readonly name: string;
  /** JSON text of the value in UTF-8, or undefined if the value exceeds the maximum size. */
  readonly bytes: Uint8Array | undefined;
  /** JSON strings of 512 bytes to 32 MiB within the value, in file order. */
  readonly longStrings: readonly LongString[];
  /** Position of the start of the value in the file. */
  readonly place: FilePlace;
}

/**
 * Default maximum size of one value, in bytes (256 MiB). The parser skips the content of larger
 * values.
 */
export const LARGEST_VALUE = 256 * 2 ** 20;

const [QUOTE, NEWLINE, COMMA, COLON] = [0x22, 0x0a, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Bytes of the UTF-8 byte order mark. */
const MARK = [0xef, 0xbb, 0xbf];

type Level = "file" | "root" | "log" | "entries";
type Expected = "value" | "name or }" | "name" | ":" | ", or }" | ", or ]" | "entry or ]" | "end";

/** A name or value whose end the parser has not reached yet. */
interface Open {
  readonly place: FilePlace;
  readonly end: ValueEnd;
  readonly isName: boolean;
  tooLarge: boolean;
}

/**
 * Streaming parser that splits a HAR file into the members of its root and of `log`, and the
 * elements of `log.entries`. Passes each value to `found` in file order, and buffers only one value
 * at a time.
 *
 *     { "log": { "version": "1.2",  "entries": [ {…}, {…}, {…} ] },  "comment": … }
 *                └──── log ─────┘                └─ entries ─┘       └── root ──┘
 */
export class HarSplitter {
  readonly #found: (value: HarValue) => void;
  readonly #largest: number;
  readonly #scanner = new ByteScanner();
  readonly #lines = new NewlineCounter();
  /** File offset of the next byte to read. */
  #at = 0;
  #level: Level = "file";
  #expected: Expected = "value";
  /** Name of the most recently read member. */
  #name = "";
  #open: Open | undefined;
  /** Number of bytes of the byte order mark read so far. */
  #marks = 0;
  #sawEntries = false;

  /**
   * Creates a parser. `push` calls `found` for each value, and does not catch exceptions from
   * `found`. For a value larger than `largest` bytes, `HarValue.bytes` is undefined.
   */
  constructor(found: (value: HarValue) => void, largest: number = LARGEST_VALUE) {
    this.#found = found;
    this.#largest = largest;
  }

  /** Parses the next bytes of the file. Throws SplitError if they are not JSON or not a HAR. */
  push(chunk: Uint8Array): void {
    const isBuffered = this.#open !== undefined && !this.#open.tooLarge;
    this.#scanner.load(chunk, isBuffered ? this.#open!.place.offset : this.#at);
    while (this.#at < this.#scanner.end) {
      if (this.#open === undefined) this.#punctuation();
      else this.#follow(this.#open);
    }
  }

  /**
   * Ends the input. Call it after the last `push`. Throws SplitError if the HAR is incomplete or
   * has no `log.entries`.
   */
  finish(): void {
    this.#at = Math.min(this.#at, this.#scanner.end);
    if (this.#open !== undefined && !this.#open.tooLarge) this.#failWithin(this.#open);
    if (this.#expected !== "end") {
      const found = this.#at === 0 ? "it is empty" : "it ends too early";
      this.#fail(`${found}, expected ${this.#wanted()}`);
    }
    if (!this.#sawEntries) this.#fail("it is JSON, but not a HAR: it has no `log.entries`");
  }

  #follow(open: Open): void {
    this.#at = open.end.follow(this.#scanner, this.#at);
    if (open.end.found) this.#close(open);
    else if (this.#at - open.place.offset > this.#largest) open.tooLarge = true;
  }

  /** Processes one byte of white space or punctuation between values. */
  #punctuation(): void {
    const byte = this.#scanner.bytes[this.#at - this.#scanner.start];
    if (byte === NEWLINE) this.#lines.next(this.#at + 1);
    else if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return this.#structure(byte);
    this.#at++;
  }

  #structure(byte: number): void {
    switch (this.#expected) {
      case "value":
        return this.#value(byte);
      case "entry or ]":
        return byte === CLOSE_LIST ? this.#leave() : this.#value(byte);
      case "name or }":
        return byte === CLOSE_OBJECT ? this.#leave() : this.#memberName(byte);
      case "name":
        return this.#memberName(byte);
      case ":":
        return this.#step(byte, COLON, "value");
      case ", or }":
        return byte === CLOSE_OBJECT ? this.#leave() : this.#step(byte, COMMA, "name");
      case ", or ]":
        return byte === CLOSE_LIST ? this.#leave() : this.#step(byte, COMMA, "value");
      case "end":
        this.#fail(`found ${shown(byte)} after the end of the HAR`);
    }
  }

  #step(byte: number, expected: number, next: Expected): void {
    if (byte !== expected) this.#unexpected(byte);
    this.#expected = next;
    this.#at++;
  }

  #memberName(byte: number): void {
    if (byte !== QUOTE) this.#unexpected(byte);
    this.#begin(byte, true);
  }

  #value(byte: number): void {
    if (this.#level === "file") {
      if (!this.#isMark(byte)) this.#enter(byte, OPEN_OBJECT, "root", "a JSON object");
    } else if (this.#level === "root" && this.#name === "log") {
      this.#enter(byte, OPEN_OBJECT, "log", "`log` to be an object");
    } else if (this.#level === "log" && this.#name === "entries") {
      this.#enter(byte, OPEN_LIST, "entries", "`log.entries` to be a list");
    } else if ([CLOSE_OBJECT, CLOSE_LIST, COMMA, COLON].includes(byte)) {
      this.#unexpected(byte);
    } else {
      this.#begin(byte, false);
    }
  }

  /**
   * Skips one byte of a byte order mark at the start of the file. Returns false if `byte` is not
   * part of a byte order mark. Throws SplitError if the mark is incomplete.
   */
  #isMark(byte: number): boolean {
    const isMark = this.#at === this.#marks && byte === MARK[this.#marks];
    if (isMark) this.#at = ++this.#marks;
    else if (this.#marks % MARK.length !== 0) {
      this.#fail("it starts with an incomplete byte order mark");
    }
    return isMark;
  }

  #enter(byte: number, opener: number, level: Level, wanted: string): void {
    if (byte !== opener) {
      this.#refuseUtf16(byte);
      this.#fail(`it is not a HAR: found ${shown(byte)}, expected ${wanted}`);
    }
    this.#level = level;
    this.#sawEntries ||= level === "entries";
    this.#expected = level === "entries" ? "entry or ]" : "name or }";
    this.#at++;
  }

  #leave(): void {
    const outer = { entries: "log", log: "root", root: "file", file: "file" } as const;
    this.#level = outer[this.#level];
    this.#expected = this.#level === "file" ? "end" : ", or }";
    this.#at++;
  }

  #begin(firstByte: number, isName: boolean): void {
    const place = this.#lines.place(this.#at);
    const end = new ValueEnd(firstByte, this.#scanner, this.#lines);
    this.#open = { place, end, isName, tooLarge: false };
  }

  /** Ends the open name or value. Stores a name in `#name`, and passes a value to `found`. */
  #close(open: Open): void {
    this.#open = undefined;
    if (open.isName) {
      this.#name = this.#nameAt(open.place);
      this.#expected = ":";
    } else if (this.#level !== "file") {
      const isEntry = this.#level === "entries";
      this.#expected = isEntry ? ", or ]" : ", or }";
      this.#found({
        of: this.#level,
        name: isEntry ? "" : this.#name,
        bytes: open.tooLarge ? undefined : this.#scanner.slice(open.place.offset, this.#at),
        longStrings: open.tooLarge ? [] : open.end.longStrings,
        place: open.place,
      });
    }
  }

  #nameAt(place: FilePlace): string {
    const bytes = this.#scanner.slice(place.offset, this.#at);
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      throw splitErrorIn(bytes, place) ?? new SplitError("a name cannot be parsed", place);
    }
  }

  /**
   * Throws a SplitError for a file that ends within a value. If the value has an earlier syntax
   * error, reports that error instead.
   */
  #failWithin({ place }: Open): never {
    const fault = splitErrorIn(this.#scanner.slice(place.offset, this.#scanner.end), place);
    throw fault ?? new SplitError(`it ends too early, expected ${this.#wanted()}`, place);
  }

  #unexpected(byte: number): never {
    this.#refuseUtf16(byte);
    this.#fail(`found ${shown(byte)}, expected ${this.#wanted()}`);
  }

  /**
   * Throws a SplitError if `byte` shows that the file is UTF-16: a zero byte or a byte of a UTF-16
   * byte order mark. UTF-8 JSON never contains these bytes.
   */
  #refuseUtf16(byte: number): void {
    if (byte === 0 || byte >= 0xfe) this.#fail("it is UTF-16, expected UTF-8; save it as UTF-8");
  }

  #wanted(): string {
    if (this.#level === "file") return "a JSON object";
    if (this.#expected === "value") return this.#level === "entries" ? "an entry" : "a value";
    return this.#expected.replace(/[,:\]}]/g, "`$&`").replace("name", "a name in double quotes");
  }

  #fail(message: string): never {
    throw new SplitError(message, this.#lines.place(this.#at));
  }
}

function shown(byte: number): string {
  return JSON.stringify(String.fromCharCode(byte));
}
