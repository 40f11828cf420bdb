import * as ascii from "../../../base/ascii.ts";
import {
  FIELD_INDEX,
  type JsonFields,
  type LineShape,
  type LineSplitter,
  type NoRequest,
  type Spans,
} from "./line_splitter.ts";
import { indexOfEither } from "./text/bytes.ts";

const { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } =
  ascii;

const LOGGER = FIELD_INDEX.logger;
const ACCESS_LOGGER = new TextEncoder().encode("http.log.access");
/** First byte of the value `null`. */
const LETTER_N = 0x6e;

interface Member {
  readonly name: Uint8Array;
  /**
   * Index of the field for this member (see `FIELD_INDEX`); -1 if its value is an object that
   * contains fields.
   */
  readonly field: number;
  readonly members: Members;
}

/** Lists of members, indexed by the length, in bytes, of the members' names. */
type Members = readonly (readonly Member[])[];

/**
 * Splits lines that each contain one JSON object. Reads only the requested members. If a value is a
 * list, reads only its first element. Skips other members without validation. Ignores lines of
 * Caddy's loggers other than the access log: they repeat a request.
 */
export class JsonSplitter implements LineSplitter {
  readonly shape: LineShape;
  readonly #members: Members;
  readonly #hasLogger: boolean;
  #bytes: Uint8Array = new Uint8Array();
  #view: DataView = new DataView(this.#bytes.buffer);
  #end = 0;
  #spans!: Spans;

  /** Creates a splitter that reads the members in `fields`. */
  constructor(fields: JsonFields) {
    this.shape = { before: "", pieces: [], members: fields };
    this.#members = indexMembers(fields);
    this.#hasLogger = Object.values(fields).includes("logger");
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    // The first element of a list may follow the bracket that starts the list.
    const brace = bytes[start] === OPEN_BRACKET ? start + 1 : start;
    if (bytes[brace] !== OPEN_BRACE) return "no-request";
    if (this.#bytes !== bytes) [this.#bytes, this.#view, this.#spans] = [bytes, view, spans];
    this.#end = end;
    if (this.#object(brace + 1, this.#members) < 0) return "no-request";
    const logger = this.#hasLogger ? spans.from[LOGGER] : -1;
    return logger < 0 || isAccessLogger(bytes, logger) ? undefined : "ignored";
  }

  /**
   * Reads the members of an object. `from` is the offset after its `{`. Returns the offset of its
   * `}`, or -1 if the object is incomplete.
   */
  #object(from: number, members: Members): number {
    const bytes = this.#bytes;
    for (let at = from; at < this.#end; at++) {
      const byte = bytes[at];
      if (byte === CLOSE_BRACE) return at;
      if (byte !== QUOTE) continue;
      const close = this.#stringEnd(at + 1);
      const member = find(bytes, at + 1, close, members);
      at = close + 1;
      while (bytes[at] === COLON || isSpace(bytes[at])) at++;
      at = member === undefined ? this.#skipValue(at) : this.#value(at, member);
      if (at < 0) return -1;
    }
    return -1;
  }

  /**
   * Reads the member value at `at`. Returns the offset of its last byte, or -1 if the value is
   * incomplete.
   */
  #value(at: number, { field, members }: Member): number {
    const byte = this.#bytes[at];
    if (byte === OPEN_BRACE && field < 0) return this.#object(at + 1, members);
    const last = this.#skipValue(at);
    if (byte === QUOTE) this.#spans.setIfAbsent(field, at + 1, last);
    else if (byte === OPEN_BRACKET) this.#readFirst(at + 1, field);
    else if (byte !== OPEN_BRACE && byte !== LETTER_N) {
      let to = last + 1;
      while (isSpace(this.#bytes[to - 1])) to--;
      this.#spans.setIfAbsent(field, at, to);
    }
    return last;
  }

  /**
   * If the first element of a list is a string, records it as the field with index `field`. `at` is
   * the offset after the opening bracket.
   */
  #readFirst(at: number, field: number): void {
    let from = at;
    while (isSpace(this.#bytes[from])) from++;
    if (this.#bytes[from] !== QUOTE) return;
    this.#spans.setIfAbsent(field, from + 1, this.#stringEnd(from + 1));
  }

  /**
   * Skips the value at `from`. Returns the offset of its last byte, or -1 if the value is
   * incomplete.
   */
  #skipValue(from: number): number {
    const bytes = this.#bytes;
    if (bytes[from] === QUOTE) {
      const close = this.#stringEnd(from + 1);
      return close < this.#end ? close : -1;
    }
    let depth = 0;
    for (let at = from; at < this.#end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) at = this.#stringEnd(at + 1);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return at - 1;
        if (--depth === 0) return at;
      } else if (byte === COMMA && depth === 0) return at - 1;
    }
    return -1;
  }

  /**
   * Returns the offset of the closing quote of the string whose content starts at `from`. Returns
   * the end of the line or a higher offset if the closing quote is missing.
   */
  #stringEnd(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = from;
    for (;;) {
      at = indexOfEither(this.#view, at, end, QUOTE, BACKSLASH);
      if (at >= end || bytes[at] === QUOTE) return at;
      at += 2;
    }
  }
}

/** Reports whether the name of the logger at `at` is that of Caddy's access log or a child of it. */
function isAccessLogger(bytes: Uint8Array, at: number): boolean {
  let i = 0;
  while (i < ACCESS_LOGGER.length && bytes[at + i] === ACCESS_LOGGER[i]) i++;
  return i === ACCESS_LOGGER.length;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}

function indexMembers(fields: JsonFields): Members {
  const members: Member[][] = [];
  for (const [name, of] of Object.entries(fields)) {
    const isField = typeof of === "string";
    const bytes = new TextEncoder().encode(name);
    while (members.length <= bytes.length) members.push([]);
    members[bytes.length].push({
      name: bytes,
      field: isField ? FIELD_INDEX[of] : -1,
      members: isField ? [] : indexMembers(of),
    });
  }
  return members;
}

function find(bytes: Uint8Array, from: number, to: number, members: Members): Member | undefined {
  const length = to - from;
  if (length >= members.length) return undefined;
  for (const member of members[length]) {
    const { name } = member;
    let i = 0;
    while (i < length && name[i] === bytes[from + i]) i++;
    if (i === length) return member;
  }
  return undefined;
}

const TAB = 0x09;

/**
 * Splits lines of Caddy's console format: a timestamp, a level, the name of a logger (if it has
 * one), a message and a JSON object, separated by tabs.
 */
export class PrefixedJsonSplitter implements LineSplitter {
  readonly #json: JsonSplitter;

  /** Creates a splitter that reads the members in `fields`. */
  constructor(fields: JsonFields) {
    this.#json = new JsonSplitter(fields);
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    const line = bytes.subarray(start, end);
    const tab = line.indexOf(TAB);
    const brace = line.indexOf(OPEN_BRACE);
    if (tab < 0 || brace < tab) return "no-request";
    spans.set(FIELD_INDEX.time, start, start + tab);
    const logger = line.indexOf(TAB, tab + 1) + 1;
    const message = line.indexOf(TAB, logger) + 1;
    const rest = line.indexOf(TAB, message) + 1;
    // Without a logger, the message follows the level.
    if (message > logger && rest > message && rest <= brace) {
      spans.set(FIELD_INDEX.logger, start + logger, start + message - 1);
    }
    return this.#json.split(bytes, view, start + brace, end, spans);
  }
}
