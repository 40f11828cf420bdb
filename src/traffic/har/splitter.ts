import { findJsonFault } from "./json_fault.ts";

/** A place in a file: bytes from 0; line and column (in bytes) from 1. */
export interface FilePlace {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** One whole value of a HAR's skeleton. Its bytes are only valid until the call returns. */
export interface HarValue {
  /** `entries` for one of `log.entries`; else the object whose member it is. */
  readonly of: "root" | "log" | "entries";
  /** The member's name; empty for an entry. */
  readonly name: string;
  /** The value's JSON; undefined when it is larger than `LARGEST_VALUE`. */
  readonly bytes: Uint8Array | undefined;
  readonly place: FilePlace;
}

/** The bytes are not JSON, or are JSON but not a HAR; `message` says why. */
export class SplitError extends Error {
  override readonly name = "SplitError";
  readonly place: FilePlace;

  constructor(message: string, place: FilePlace) {
    super(message);
    this.place = place;
  }
}

/** The largest value that is held in memory, in bytes; a larger one is passed over. */
export const LARGEST_VALUE = 256 * 2 ** 20;

const [QUOTE, BACKSLASH, NEWLINE, COMMA, COLON] = [0x22, 0x5c, 0x0a, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** UTF-8's byte order mark. */
const MARK = [0xef, 0xbb, 0xbf];

type Expected = "value" | "name or }" | "name" | ":" | ", or }" | ", or ]" | "entry or ]" | "end";
type Level = "file" | "root" | "log" | "entries";
type Open = "name" | "string" | "container" | "scalar";

/**
 * Cuts a HAR into the members of its root and of `log`, and into the entries of `log.entries`, as its
 * bytes come in, and hands each to `found` in file order. Holds one value at a time, and does not
 * recurse. Only brackets and strings are looked at within a value: whether it is JSON shows when it
 * is parsed.
 */
export class HarSplitter {
  readonly #found: (value: HarValue) => void;
  #bytes = new Uint8Array(1 << 16);
  /** End of what has been pushed, and the next byte to look at, which can lie one beyond the end. */
  #end = 0;
  #at = 0;
  /** File offset of the first byte held. */
  #base = 0;
  #line = 1;
  /** File offset at which the line starts. */
  #lineStart = 0;
  #level: Level = "file";
  #expected: Expected = "value";
  #sawEntries = false;
  /** Bytes of the byte order mark so far. */
  #marks = 0;
  /** The last member's name. */
  #name = "";
  /** The value or name being passed over. */
  #open: Open | undefined;
  #openAt = 0;
  #openPlace: FilePlace = { offset: 0, line: 1, column: 1 };
  #tooLarge = false;
  #depth = 0;
  #inString = false;

  constructor(found: (value: HarValue) => void) {
    this.#found = found;
  }

  /** Takes the next bytes. Throws SplitError. */
  push(chunk: Uint8Array): void {
    this.#append(chunk);
    while (this.#at < this.#end) {
      if (this.#open === undefined) this.#punctuation();
      else if (this.#passOver()) this.#close();
    }
  }

  /** The bytes are at their end. Throws SplitError when the HAR is not. */
  finish(): void {
    if (this.#expected === "end") {
      if (this.#sawEntries) return;
      this.#fail("it is JSON, but not a HAR: it has no `log.entries`");
    }
    if (this.#open !== undefined && !this.#tooLarge) this.#throwFault(this.#openAt, this.#end);
    const before = this.#base + this.#end === 0 ? "it is empty" : "it ends too early";
    this.#fail(`${before}, expected ${this.#wanted()}`);
  }

  /** Makes room by forgetting what has been handed on, and adds the chunk. */
  #append(chunk: Uint8Array): void {
    const keepFrom = this.#open === undefined || this.#tooLarge
      ? Math.min(this.#at, this.#end)
      : this.#openAt;
    const kept = this.#end - keepFrom;
    if (kept + chunk.length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, kept + chunk.length));
      grown.set(this.#bytes.subarray(keepFrom, this.#end));
      this.#bytes = grown;
    } else {
      this.#bytes.copyWithin(0, keepFrom, this.#end);
    }
    this.#bytes.set(chunk, kept);
    this.#at -= keepFrom;
    this.#openAt -= keepFrom;
    this.#base += keepFrom;
    this.#end = kept + chunk.length;
  }

  #place(at = Math.min(this.#at, this.#end)): FilePlace {
    const offset = this.#base + at;
    return { offset, line: this.#line, column: offset - this.#lineStart + 1 };
  }

  /** One byte between values. */
  #punctuation(): void {
    const byte = this.#bytes[this.#at];
    if (byte === NEWLINE) {
      this.#newLine(this.#at + 1);
    } else if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) {
      return this.#structure(byte);
    }
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
        return this.#step(byte === COLON, "value");
      case ", or }":
        return byte === CLOSE_OBJECT ? this.#leave() : this.#step(byte === COMMA, "name");
      case ", or ]":
        return byte === CLOSE_LIST ? this.#leave() : this.#step(byte === COMMA, "value");
      case "end":
        return this.#fail(`found ${shown(byte)} after the HAR, expected nothing more`);
    }
  }

  #step(fits: boolean, next: Expected): void {
    if (!fits) this.#unexpected();
    this.#expected = next;
    this.#at++;
  }

  #memberName(byte: number): void {
    if (byte !== QUOTE) this.#unexpected();
    this.#begin("name");
  }

  #value(byte: number): void {
    if (this.#level === "file") return this.#enter(byte, OPEN_OBJECT, "root", "a JSON object");
    if (this.#level === "root" && this.#name === "log") {
      return this.#enter(byte, OPEN_OBJECT, "log", "`log` to be an object");
    }
    if (this.#level === "log" && this.#name === "entries") {
      return this.#enter(byte, OPEN_LIST, "entries", "`log.entries` to be a list");
    }
    if (byte === QUOTE) return this.#begin("string");
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) return this.#begin("container");
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === COMMA || byte === COLON) {
      this.#unexpected();
    }
    this.#begin("scalar");
  }

  #enter(byte: number, opener: number, level: Level, wanted: string): void {
    if (byte === MARK[this.#marks] && this.#base + this.#at === this.#marks) {
      this.#marks++;
      this.#at++;
      return;
    }
    if (this.#marks % MARK.length !== 0) this.#fail("it starts with half a byte order mark");
    if (byte !== opener) this.#notUtf16(byte);
    if (byte !== opener) this.#fail(`it is not a HAR: found ${shown(byte)}, expected ${wanted}`);
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

  #begin(open: Open): void {
    this.#open = open;
    this.#openAt = this.#at;
    this.#openPlace = this.#place();
    this.#tooLarge = false;
    this.#depth = 0;
    this.#inString = false;
  }

  /** Moves to the end of the open value; false when more bytes are needed to get there. */
  #passOver(): boolean {
    const done = this.#open === "scalar" ? this.#passScalar() : this.#passBrackets();
    if (!done && this.#end - this.#openAt > LARGEST_VALUE) this.#tooLarge = true;
    return done;
  }

  #passScalar(): boolean {
    for (; this.#at < this.#end; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte <= 0x20 || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        return true;
      }
    }
    return false;
  }

  /** The hot loop: every byte of every entry goes through it. True when the brackets are closed. */
  #passBrackets(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at;
    let depth = this.#depth;
    let inString = this.#inString;
    let done = false;
    while (at < end && !done) {
      if (inString) {
        let byte = 0;
        while (at < end && (byte = bytes[at++]) !== QUOTE) if (byte === BACKSLASH) at++;
        inString = byte !== QUOTE;
        done = !inString && depth === 0;
        continue;
      }
      const byte = bytes[at++];
      if (byte === QUOTE) inString = true;
      else if ((byte | 0x20) === OPEN_OBJECT) depth++;
      else if ((byte | 0x20) === CLOSE_OBJECT) done = --depth === 0;
      else if (byte === NEWLINE) this.#newLine(at);
    }
    this.#at = at;
    this.#depth = depth;
    this.#inString = inString;
    return done;
  }

  #newLine(next: number): void {
    this.#line++;
    this.#lineStart = this.#base + next;
  }

  /** The open value is whole: a name is kept, a value handed on. */
  #close(): void {
    const bytes = this.#bytes.subarray(this.#openAt, this.#at);
    const of = this.#level;
    if (this.#open === "name") {
      this.#name = this.#nameOf(bytes);
      this.#expected = ":";
    } else if (of !== "file") {
      this.#expected = of === "entries" ? ", or ]" : ", or }";
      this.#found({
        of,
        name: of === "entries" ? "" : this.#name,
        bytes: this.#tooLarge ? undefined : bytes,
        place: this.#openPlace,
      });
    }
    this.#open = undefined;
  }

  #nameOf(bytes: Uint8Array): string {
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return this.#throwFault(this.#openAt, this.#at);
    }
  }

  #throwFault(from: number, to: number): never {
    const bytes = this.#bytes.subarray(from, to);
    throw splitErrorIn(bytes, this.#openPlace) ??
      new SplitError(`it ends too early, expected ${this.#wanted()}`, this.#place());
  }

  #unexpected(): never {
    this.#notUtf16(this.#bytes[this.#at]);
    this.#fail(`found ${shown(this.#bytes[this.#at])}, expected ${this.#wanted()}`);
  }

  /** A zero byte or UTF-16's byte order mark can stand nowhere in JSON that is UTF-8. */
  #notUtf16(byte: number): void {
    if (byte === 0 || byte >= 0xfe) {
      this.#fail("it is UTF-16, expected UTF-8; save it again as UTF-8");
    }
  }

  #wanted(): string {
    if (this.#level === "file") return "a JSON object";
    if (this.#expected === "value") return this.#level === "entries" ? "an entry" : "a value";
    return this.#expected.replace(/[,:\]}]/g, "`$&`").replace("name", "a name in double quotes");
  }

  #fail(message: string): never {
    throw new SplitError(message, this.#place());
  }
}

/** The error for a value that is not JSON, with its place in the file; undefined when it is JSON. */
export function splitErrorIn(bytes: Uint8Array, start: FilePlace): SplitError | undefined {
  const fault = findJsonFault(bytes);
  if (fault === undefined) return undefined;
  const { offset, reason } = fault;
  let { line } = start;
  let lineStart = start.offset - start.column + 1;
  for (let i = 0; i < offset; i++) {
    if (bytes[i] !== NEWLINE) continue;
    line++;
    lineStart = start.offset + i + 1;
  }
  const at = start.offset + offset;
  return new SplitError(reason, { offset: at, line, column: at - lineStart + 1 });
}

function shown(byte: number): string {
  return JSON.stringify(String.fromCharCode(byte));
}
