import * as ascii from "../../../base/ascii.ts";
import { indexOfEither } from "./field_text.ts";
import { FIELD_INDEX, type JsonFields, type LineSplitter, type Spans } from "./line_splitter.ts";

const { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } =
  ascii;
const { TAB } = ascii;

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
 * Creates a splitter for lines that each contain one JSON object. Reads only the members in
 * `fields`. If a value is a list, reads only its first element, and only if that is a string. If
 * several members have the same field, the first one counts.
 */
export function jsonSplitter(fields: JsonFields): LineSplitter {
  const indexed = indexMembers(fields);
  const hasLogger = Object.values(fields).includes("logger");
  let bytes: Uint8Array = new Uint8Array();
  let view: DataView = new DataView(bytes.buffer);
  let end = 0;
  let spans: Spans;

  // These functions return the offset of the last byte of what they read, or -1 if it is
  // incomplete.

  /** Reads the members of an object. `from` is the offset after its `{`. */
  function readObject(from: number, members: Members): number {
    for (let at = from; at < end; at++) {
      const byte = bytes[at];
      if (byte === CLOSE_BRACE) return at;
      if (byte !== QUOTE) continue;
      const close = stringEnd(at + 1);
      const member = find(bytes, at + 1, close, members);
      at = close + 1;
      while (bytes[at] === COLON || isSpace(bytes[at])) at++;
      at = member === undefined ? skipValue(at) : readValue(at, member);
      if (at < 0) return -1;
    }
    return -1;
  }

  function readValue(at: number, { field, members }: Member): number {
    const byte = bytes[at];
    if (byte === OPEN_BRACE && field < 0) return readObject(at + 1, members);
    const last = skipValue(at);
    if (byte === QUOTE) spans.setIfAbsent(field, at + 1, last);
    else if (byte === OPEN_BRACKET) {
      let from = at + 1;
      while (isSpace(bytes[from])) from++;
      if (bytes[from] === QUOTE) spans.setIfAbsent(field, from + 1, stringEnd(from + 1));
    } else if (byte !== OPEN_BRACE && byte !== LETTER_N) {
      let to = last + 1;
      while (isSpace(bytes[to - 1])) to--;
      spans.setIfAbsent(field, at, to);
    }
    return last;
  }

  function skipValue(from: number): number {
    if (bytes[from] === QUOTE) {
      const close = stringEnd(from + 1);
      return close < end ? close : -1;
    }
    let depth = 0;
    for (let at = from; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) at = stringEnd(at + 1);
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
   * the end of the line or a higher offset if the quote is missing.
   */
  function stringEnd(from: number): number {
    for (let at = from;; at += 2) {
      at = indexOfEither(view, at, end, QUOTE, BACKSLASH);
      if (at >= end || bytes[at] === QUOTE) return at;
    }
  }

  return {
    shape: { before: "", pieces: [], members: fields },
    split(lineBytes, lineView, start, lineEnd, lineSpans) {
      // The first element of a list may follow the bracket that starts the list.
      const brace = lineBytes[start] === OPEN_BRACKET ? start + 1 : start;
      if (lineBytes[brace] !== OPEN_BRACE) return "no-request";
      [bytes, view, end, spans] = [lineBytes, lineView, lineEnd, lineSpans];
      if (readObject(brace + 1, indexed) < 0) return "no-request";
      const logger = hasLogger ? spans.from[LOGGER] : -1;
      return logger < 0 || isAccessLogger(bytes, logger) ? undefined : "ignored";
    },
  };
}

/**
 * Reports whether the name of the logger at `at` is that of Caddy's access log or a child of it.
 */
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

/**
 * Creates a splitter for lines of Caddy's console format: a timestamp, a level, the name of a
 * logger (if it has one), a message and a JSON object, separated by tabs.
 */
export function prefixedJsonSplitter(fields: JsonFields): LineSplitter {
  const json = jsonSplitter(fields);
  return {
    split(bytes, view, start, end, spans) {
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
        spans.set(LOGGER, start + logger, start + message - 1);
      }
      return json.split(bytes, view, start + brace, end, spans);
    },
  };
}
