import * as ascii from "../../base/ascii.ts";
import { ByteSink } from "../../base/bytes/byte_source.ts";
import { InputError } from "../../base/errors.ts";
import { isStaticCall, joinForwarded, parseEntry } from "./entry.ts";
import { closingQuote, findJsonFault } from "./json_text.ts";
import { rebuildBodies } from "./lost_bodies.ts";
import {
  BrokenEntry,
  type Exchange,
  type FilePlace,
  headerValue,
  type JsonObject,
  type Recording,
  type SkippedEntry,
} from "./recording.ts";

const LARGEST = 256 * 2 ** 20;

/**
 * Reads a HAR (1.1 to 1.3, UTF-8), which can be larger than the longest string. Lists unusable
 * entries in `skipped`. Throws InputError with a position in the input `name` if it is not a HAR.
 */
export async function readHar(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
): Promise<Recording> {
  const read: Exchange[] = [];
  const skipped: SkippedEntry[] = [];
  let index = 0;
  const splitter = new HarSplitter(name, LARGEST, (entry, place) => {
    try {
      if (entry === undefined) throw new BrokenEntry(`it is larger than ${LARGEST / 2 ** 20} MiB`);
      read.push(parseEntry(entry, index, read.at(-1)?.endedAt ?? NaN));
    } catch (error) {
      if (!(error instanceof BrokenEntry)) throw error;
      skipped.push({ index, place, reason: error.message });
    }
    index++;
  });
  for await (const chunk of source) splitter.push(chunk);
  const { pages, creator, browser } = splitter.finish();
  const timed = withTimes(read).sort((a, b) => a.startedAt - b.startedAt);
  const exchanges = rebuildBodies(joinForwarded(timed));
  return {
    exchanges,
    skipped,
    pages: pageTitles(pages),
    creator: product(creator),
    browser: product(browser),
    hasCredentials: exchanges.some(carriesCredentials),
    hasBodies: exchanges.some(holdsBody),
  };
}

function withTimes(read: readonly Exchange[]): Exchange[] {
  const known = read.findIndex(({ startedAt }) => !Number.isNaN(startedAt));
  const at = read[known]?.startedAt ?? 0;
  return read.map((exchange, i) =>
    i < known || known < 0 ? { ...exchange, startedAt: at, endedAt: at } : exchange
  );
}

function holdsBody({ request, response }: Exchange): boolean {
  return !isStaticCall(request, response.mimeType) && Boolean(response.text);
}

function carriesCredentials({ request, response }: Exchange): boolean {
  const { headers } = request;
  return Boolean(
    headerValue(headers, "cookie") || headerValue(headers, "authorization") ||
      headerValue(response.headers, "set-cookie"),
  );
}

function pageTitles(pages: unknown): Map<string, string> {
  const listed = Array.isArray(pages) ? pages : [];
  return new Map(
    listed.flatMap((page) => {
      const [id, title] = textsOf(page, ["id", "title"]);
      return id === "" ? [] : [[id, title || id]];
    }),
  );
}

function product(value: unknown): string {
  return textsOf(value, ["name", "version"]).filter(Boolean).join(" ");
}

/** Tolerates any value, because a recording with malformed metadata is still usable. */
function textsOf(value: unknown, names: readonly string[]): string[] {
  const members = (value ?? {}) as JsonObject;
  return names.map((name) => {
    const member = members[name];
    return typeof member === "string" || typeof member === "number" ? String(member) : "";
  });
}

const { BACKSLASH, COMMA, CR, LF, QUOTE, SPACE, TAB } = ascii;
const { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET } = ascii;

/** Number of brackets that are open between the elements of `log.entries`. */
const ENTRY_DEPTH = 3;
/** Maximum length in bytes of the JSON strings `"log"` and `"entries"`, with escape sequences. */
const LONGEST_NAME = 64;
const MARK = [0xef, 0xbb, 0xbf];
const ENTRY = Uint8Array.of(ascii.ZERO);
const DECODER = new TextDecoder();
/** Decodes an entry, in which a byte order mark is a syntax error. */
const ENTRY_DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

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
  readonly #largest: number;
  readonly #rest = new ByteSink();
  readonly #entry = new ByteSink();
  #isTooLarge = false;
  #entryPlace: FilePlace = { offset: 0, line: 1, column: 1 };
  /** Offsets in the rest after each entry, and their positions in the file. */
  readonly #cuts = [{ at: 0, place: this.#entryPlace }];
  #offset = 0;
  #line = 1;
  #lineStart = 0;
  #depth = 0;
  #isOpened = false;
  #isInEntries = false;
  #isInString = false;
  /** True if an escape sequence continues in the next chunk. */
  #isEscaped = false;
  /** Offset in the rest of the last string at each depth outside the entries. */
  readonly #strings: number[] = [];

  /** Calls `found` for each entry, in file order; without it, if it exceeds `largest` bytes. */
  constructor(
    name: string,
    largest: number,
    found: (entry: unknown, place: FilePlace) => void,
  ) {
    this.#name = name;
    this.#largest = largest;
    this.#found = found;
  }

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
          if (this.#depth < ENTRY_DEPTH) this.#strings[this.#depth] = this.#rest.size + at - from;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (++this.#depth === ENTRY_DEPTH && byte === OPEN_BRACKET) {
            this.#rest.append(chunk, from, at + 1);
            from = at + 1;
            this.#isInEntries = this.#nameAt(1) === "log" && this.#nameAt(2) === "entries";
            this.#entryPlace = this.#placeAt(from);
          }
          break;
        case COMMA:
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (this.#isInEntries && this.#depth === ENTRY_DEPTH) {
            this.#append(chunk, from, at);
            this.#endEntry(at);
            this.#isInEntries = byte === COMMA;
            from = at + 1;
            this.#rest.append(chunk, at, from);
          }
          if (byte !== COMMA) this.#depth--;
      }
    }
    this.#append(chunk, from, chunk.length);
    this.#offset += chunk.length;
    if (this.#rest.size > this.#largest) {
      this.#fail("the members other than `log.entries` are too large");
    }
  }

  /** Returns `log` with `0` in place of each entry. Throws InputError if it is incomplete. */
  finish(): JsonObject {
    if (!this.#isOpened) this.#fail("it is empty, expected a JSON object");
    // A file that was not closed properly may be padded with zeros.
    const text = DECODER.decode(this.#rest.bytes).replace(/\0+$/, "");
    const { log } = this.#parse(text) as JsonObject;
    const isHar = typeof log === "object" && Array.isArray((log as JsonObject | null)?.entries);
    if (!isHar) this.#fail("it is JSON, but not a HAR: it has no list `log.entries`");
    return log as JsonObject;
  }

  #skipString(chunk: Uint8Array, start: number): number {
    let at = this.#isEscaped ? start + 1 : start;
    while (at < chunk.length && chunk[at] !== QUOTE) at += chunk[at] === BACKSLASH ? 2 : 1;
    this.#isInString = at >= chunk.length;
    this.#isEscaped = at > chunk.length;
    return at;
  }

  #checkOutside(byte: number, at: number): void {
    const offset = this.#offset + at;
    const isFirst = !this.#isOpened;
    const isPadding = byte === 0 && !isFirst;
    if (isSpace(byte) || isPadding || (offset < MARK.length && byte === MARK[offset])) return;
    this.#isOpened = true;
    if (isFirst && byte === OPEN_BRACE) return;
    const found = `found ${JSON.stringify(String.fromCharCode(byte))}`;
    const reason = isFirst
      ? `it is not a HAR: ${found}, expected a JSON object`
      : `${found} after the end of the HAR`;
    this.#fail(isUtf16(byte) ? UTF16 : reason, this.#placeAt(at));
  }

  #nameAt(depth: number): unknown {
    const start = this.#strings[depth];
    const text = DECODER.decode(this.#rest.bytes.subarray(start, start + LONGEST_NAME));
    try {
      return JSON.parse(text.slice(0, closingQuote(text, 1) + 1));
    } catch {
      return undefined;
    }
  }

  #append(chunk: Uint8Array, from: number, to: number): void {
    if (!this.#isInEntries) this.#rest.append(chunk, from, to);
    else if (!this.#isTooLarge) this.#entry.append(chunk, from, to);
    if (this.#entry.size <= this.#largest) return;
    this.#isTooLarge = true;
    this.#entry.clear();
  }

  #endEntry(at: number): void {
    const { bytes } = this.#entry;
    let start = 0;
    while (isSpace(bytes[start])) start++;
    if (this.#isTooLarge || start < bytes.length) {
      const entry = this.#isTooLarge ? undefined : this.#parse(ENTRY_DECODER.decode(bytes));
      this.#found(entry, placeAfter(bytes.subarray(0, start), this.#entryPlace));
      this.#rest.append(ENTRY, 0, ENTRY.length);
    }
    this.#cuts.push({ at: this.#rest.size, place: this.#placeAt(at) });
    this.#entryPlace = this.#placeAt(at + 1);
    this.#entry.reset();
    this.#isTooLarge = false;
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#failInJson();
    }
  }

  /** Throws InputError for the first syntax error in the rest of the file and the current entry. */
  #failInJson(): never {
    this.#rest.append(this.#entry.bytes, 0, this.#entry.size);
    const { bytes } = this.#rest;
    const { offset: at, reason } = findJsonFault(bytes)!;
    const cut = this.#cuts.findLast((cut) => cut.at <= at)!;
    const place = placeAfter(bytes.subarray(cut.at, at), cut.place);
    const isCut = at === bytes.length;
    const advice = isCut ? "; the file is incomplete, save or copy it again" : "";
    this.#fail(isUtf16(bytes[at]) ? UTF16 : reason + advice, place);
  }

  #placeAt(at: number): FilePlace {
    const offset = this.#offset + at;
    return { offset, line: this.#line, column: offset - this.#lineStart + 1 };
  }

  #fail(reason: string, place = this.#placeAt(0)): never {
    throw new InputError(`cannot read the HAR: ${reason}`, { source: this.#name, ...place });
  }
}

const UTF16 = "it is UTF-16, expected UTF-8; save it as UTF-8";

function isUtf16(byte: number): boolean {
  return byte === 0 || byte >= 0xfe;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

function placeAfter(bytes: Uint8Array, { offset, line, column }: FilePlace): FilePlace {
  for (const byte of bytes) {
    offset++;
    column++;
    if (byte === LF) [line, column] = [line + 1, 1];
  }
  return { offset, line, column };
}

/** Reports whether a file that starts with the bytes `head` looks like a HAR. */
export function looksLikeHar(head: Uint8Array): boolean {
  return /^\s*\{\s*(?:"[^"]*"\s*:\s*"[^"]*"\s*,\s*)*"log"\s*:(?!\s*")/.test(
    new TextDecoder().decode(head),
  );
}
