import * as ascii from "../../../base/ascii.ts";
import { indexOfByte, indexOfEither } from "./field_text.ts";
import {
  FIELD_INDEX,
  type FieldNames,
  FIELDS as ALL_FIELDS,
  type JsonFields,
  type LinePiece,
  type LineShape,
  type LineSplitter,
  type Spans,
} from "./log_format.ts";

const { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, DASH, HASH, OPEN_BRACE } = ascii;
const { OPEN_BRACKET, QUOTE, SPACE, TAB } = ascii;
const EQUALS = 0x3d;
const NINE = 0x39;
const MAX_NAME_BYTES = 40;
const { time: TIME, status: STATUS, code: CODE } = FIELD_INDEX;

/** Skips words without `=`, except a date before the first pair without another timestamp. */
export function pairSplitter(names: FieldNames): LineSplitter {
  const fields = new Map(Object.entries(names).map(([name, field]) => [name, FIELD_INDEX[field]]));

  function find(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > MAX_NAME_BYTES) return -1;
    return fields.get(String.fromCharCode(...bytes.subarray(from, to))) ?? -1;
  }

  return {
    split(bytes, view, start, end, spans) {
      let pairs = 0;
      let [dateFrom, dateTo] = [-1, -1];
      for (let at = start; at < end;) {
        if (isSpace(bytes[at])) {
          at++;
          continue;
        }
        const nameFrom = at;
        while (at < end && bytes[at] !== EQUALS && !isSpace(bytes[at])) at++;
        if (bytes[at] !== EQUALS || at >= end) {
          if (pairs === 0 && dateFrom < 0) {
            const from = bytes[nameFrom] === OPEN_BRACKET ? nameFrom + 1 : nameFrom;
            if (isDate(bytes, from, at)) [dateFrom, dateTo] = [from, at];
          }
          continue;
        }
        const field = find(bytes, nameFrom, at);
        const isQuoted = bytes[at + 1] === QUOTE;
        const from = isQuoted ? at + 2 : at + 1;
        at = isQuoted ? quoteEnd(bytes, view, from, end) : wordEnd(bytes, from, end);
        if (at > end) return "no-request";
        spans.setIfAbsent(field, from, at);
        if (isQuoted) at++;
        pairs++;
      }
      if (pairs === 0) return "no-request";
      if (dateFrom >= 0) spans.setIfAbsent(TIME, dateFrom, dateTo);
      if (spans.from[CODE] >= 0) spans.setIfAbsent(STATUS, spans.from[CODE], spans.to[CODE]);
      return undefined;
    },
  };
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** Reports whether the text starts a timestamp, such as `2026-11-21T10`. */
function isDate(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from > 12 && bytes[from] <= NINE && bytes[from + 4] === DASH &&
    bytes[from + 7] === DASH;
}

function wordEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && !isSpace(bytes[at])) at++;
  return at;
}

/** Returns the offset of the closing quote, or an offset after `end` if it is missing. */
function quoteEnd(bytes: Uint8Array, view: DataView, from: number, end: number): number {
  for (let at = from;;) {
    at = indexOfEither(view, at, end, QUOTE, BACKSLASH);
    if (at >= end) return end + 1;
    if (bytes[at] === QUOTE) return at;
    at += 2;
  }
}

const FIELDS = "#Fields:";

const NAMES: FieldNames = {
  date: "date",
  time: "time",
  "c-ip": "client",
  "cs-method": "method",
  "cs-uri-stem": "path",
  "cs-uri-path": "path",
  "cs-uri-query": "query",
  "cs-uri": "target",
  "sc-status": "status",
  "sc-bytes": "bytes",
  "time-taken": "duration",
  timetakenms: "duration",
  "cs(referer)": "referer",
  "cs(user-agent)": "agent",
  "cs-host": "host",
  "cs(host)": "host",
  "x-host-header": "host",
};

/**
 * Reads the W3C extended format. `#Fields:` lines define the columns, `names` those before the
 * first one. In a quoted value, quotes are doubled. `client` is the column of the client, if it is
 * not `c-ip`. CloudFront encodes values: its logs have tabs or `x-edge-` columns, and no
 * `#Software:`.
 */
export function columnSplitter(
  separator: " " | "\t",
  names: string,
  client: string | undefined,
): LineSplitter {
  const stop = separator.charCodeAt(0);
  let columns = mapColumns(names, client);
  let isEncoded = separator === "\t";
  let shape = buildShape();

  function buildShape(): LineShape {
    const pieces = [...columns].map((field, i, { length }): LinePiece => ({
      field: ALL_FIELDS[field],
      ...(i < length - 1 ? { delimiter: separator } : { delimiter: "", stops: separator }),
    }));
    return { before: "", pieces, w3c: { isEncoded } };
  }

  function readDirective(line: string): void {
    if (line.startsWith("#Software:")) isEncoded = false;
    else if (line.startsWith(FIELDS)) {
      columns = mapColumns(line.slice(FIELDS.length), client);
      isEncoded ||= line.includes("x-edge-");
    } else return;
    shape = buildShape();
  }

  return {
    get shape() {
      return shape;
    },
    split(bytes, view, start, end, spans) {
      if (bytes[start] === HASH) {
        const head = bytes.subarray(start, Math.min(end, start + 4096));
        readDirective(String.fromCharCode(...head));
        return "ignored";
      }
      let at = start | 0;
      for (let i = 0; i < columns.length; i++) {
        if (at > end) return "no-request";
        const quote = bytes[at] === QUOTE ? closingQuote(view, at + 1, end, stop) : -1;
        const from = quote >= 0 ? at + 1 : at;
        const to = quote >= 0 ? quote : indexOfByte(view, at, end, stop);
        spans.setIfAbsent(columns[i], from, to);
        at = quote >= 0 ? quote + 2 : to + 1;
      }
      return undefined;
    },
  };
}

/** The quote must precede `separator` or the end of the line; else -1. */
function closingQuote(view: DataView, from: number, end: number, separator: number): number {
  let quote = indexOfByte(view, from, end, QUOTE);
  while (quote + 1 < end && view.getUint8(quote + 1) === QUOTE) {
    quote = indexOfByte(view, quote + 2, end, QUOTE);
  }
  const isClosed = quote + 1 === end || (quote < end && view.getUint8(quote + 1) === separator);
  return isClosed ? quote : -1;
}

/**
 * Field indexes up to the last needed; -1 if not needed or repeated. `time-local` may be `time`.
 */
function mapColumns(names: string, client: string | undefined): Int32Array {
  const columns = names.trim().split(/[ \t]+/);
  const local = columns.includes("time") ? "" : /-local$/;
  const fields = columns
    .map((name) =>
      name === client
        ? FIELD_INDEX.forwarded
        : FIELD_INDEX[NAMES[name.toLowerCase().replace(local, "")]] ?? -1
    )
    .map((field, i, all) => all.indexOf(field) === i ? field : -1);
  return Int32Array.from(fields.slice(0, 1 + fields.findLastIndex((field) => field >= 0)));
}

const LOGGER = FIELD_INDEX.logger;
const ACCESS_LOGGER = new TextEncoder().encode("http.log.access");
/** First byte of the value `null`. */
const LETTER_N = 0x6e;

interface Member {
  readonly name: Uint8Array;
  /** See `FIELD_INDEX`; -1 if the value is an object that contains fields. */
  readonly field: number;
  readonly members: Members;
}

/** Indexed by the length of the names in bytes. */
type Members = readonly (readonly Member[])[];

/** The first element of a list counts if it is a string, and the first member of a field. */
export function jsonSplitter(fields: JsonFields): LineSplitter {
  const indexed = indexMembers(fields);
  const hasLogger = Object.values(fields).includes("logger");
  let bytes: Uint8Array = new Uint8Array();
  let view: DataView = new DataView(bytes.buffer);
  let end = 0;
  let spans: Spans;

  // These return the offset of the last byte that they read, or -1 if it is incomplete.

  /** `from` is the offset after the `{`. */
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

  /** The end of the line or higher if the closing quote is missing. */
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

/** Caddy's access log or a child of it. */
function isAccessLogger(bytes: Uint8Array, at: number): boolean {
  let i = 0;
  while (i < ACCESS_LOGGER.length && bytes[at + i] === ACCESS_LOGGER[i]) i++;
  return i === ACCESS_LOGGER.length;
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

/** Caddy's console format: timestamp, level, logger (if any), message and object, with tabs. */
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
