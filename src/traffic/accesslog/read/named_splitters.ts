import * as ascii from "../../../base/ascii.ts";
import {
  FIELD_INDEX,
  FIELDS as ALL_FIELDS,
  type LinePiece,
  type LineShape,
  type LineSplitter,
  type LogField,
  type NoRequest,
  type Spans,
} from "./line_splitter.ts";
import { indexOfByte, indexOfEither } from "./text/bytes.ts";

const { BACKSLASH, DASH, HASH, OPEN_BRACKET, QUOTE, SPACE } = ascii;
const EQUALS = 0x3d;
const TAB = 0x09;
const NINE = 0x39;
const MAX_NAME_BYTES = 40;
const { time: TIME, status: STATUS, code: CODE } = FIELD_INDEX;

/**
 * Splits lines of `name=value` pairs, separated by spaces. A value with spaces is in quotes. Skips
 * words without `=`, with one exception: if the line has no other timestamp, a date such as
 * `2026-11-21T10:00:00Z` before the first pair is its timestamp.
 */
export class LogfmtSplitter implements LineSplitter {
  readonly #fields: ReadonlyMap<string, number>;

  /**
   * Creates a splitter. `fields` maps the name in a pair to the log field in which to record the
   * value.
   */
  constructor(fields: Readonly<Record<string, LogField>>) {
    this.#fields = new Map(
      Object.entries(fields).map(([name, field]) => [name, FIELD_INDEX[field]]),
    );
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
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
      const field = this.#find(bytes, nameFrom, at);
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
  }

  /**
   * Returns the index of the field for the name in `bytes[from, to)`, or -1 if the name has no
   * field.
   */
  #find(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > MAX_NAME_BYTES) return -1;
    return this.#fields.get(String.fromCharCode(...bytes.subarray(from, to))) ?? -1;
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/**
 * Reports whether `bytes[from, to)` looks like a timestamp that starts with a date and an hour,
 * such as `2026-11-21T10`.
 */
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

/** Field for each known column name in the W3C extended format, in lower case. */
const NAMES: Readonly<Record<string, LogField>> = {
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
 * Splits lines in the W3C extended log format, whose values are separated by spaces or tabs. Each
 * `#Fields:` line defines the columns of the lines that follow. A value may be in quotes. A quote
 * in it is then doubled.
 *
 * Logs of CloudFront, whose values are percent-encoded, have tabs or columns such as
 * `x-edge-location`. Unlike those of other servers, they have no `#Software:` line.
 */
export class W3cSplitter implements LineSplitter {
  readonly #separator: string;
  readonly #separatorByte: number;
  readonly #client: string | undefined;
  #columns: Int32Array;
  #isEncoded: boolean;
  #shape: LineShape;

  /**
   * Creates a splitter. `columns` lists the columns of the lines before the first `#Fields:` line,
   * in the same syntax as such a line. `client` is the name of the column that is recorded as
   * `forwarded`, if any.
   */
  constructor(separator: " " | "\t", columns: string, client?: string) {
    this.#separator = separator;
    this.#client = client;
    this.#separatorByte = separator.charCodeAt(0);
    this.#columns = mapColumns(columns, client);
    this.#isEncoded = separator === "\t";
    this.#shape = this.#buildShape();
  }

  get shape(): LineShape {
    return this.#shape;
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    if (bytes[start] === HASH) {
      this.#readDirective(
        String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 4096))),
      );
      return "ignored";
    }
    const columns = this.#columns;
    const separator = this.#separatorByte | 0;
    const { from, to } = spans;
    const last = end | 0;
    let at = start | 0;
    for (let i = 0; i < columns.length; i++) {
      if (at > last) return "no-request";
      const field = columns[i];
      const quote = bytes[at] === QUOTE ? closingQuote(view, at + 1, last, separator) : -1;
      if (quote >= 0) {
        spans.setIfAbsent(field, at + 1, quote);
        at = quote + 2;
        continue;
      }
      const wordEnd = indexOfByte(view, at, last, separator);
      if (field >= 0) {
        from[field] = at;
        to[field] = wordEnd;
      }
      at = wordEnd + 1;
    }
    return undefined;
  }

  #readDirective(line: string): void {
    if (line.startsWith("#Software:")) this.#isEncoded = false;
    else if (line.startsWith(FIELDS)) {
      this.#columns = mapColumns(line.slice(FIELDS.length), this.#client);
      this.#isEncoded ||= line.includes("x-edge-");
    } else return;
    this.#shape = this.#buildShape();
  }

  /** Builds the layout of the lines that follow. They may have more columns. */
  #buildShape(): LineShape {
    const pieces = [...this.#columns].map((field, i, { length }): LinePiece => ({
      field: ALL_FIELDS[field],
      ...(i < length - 1
        ? { delimiter: this.#separator }
        : { delimiter: "", stops: this.#separator }),
    }));
    return { before: "", pieces, w3c: { isEncoded: this.#isEncoded } };
  }
}

/**
 * Returns the offset of the quote that closes the value at `from`, or -1 if there is none before
 * `end` or neither `separator` nor the end of the line follows it.
 */
function closingQuote(view: DataView, from: number, end: number, separator: number): number {
  let quote = indexOfByte(view, from, end, QUOTE);
  while (quote + 1 < end && view.getUint8(quote + 1) === QUOTE) {
    quote = indexOfByte(view, quote + 2, end, QUOTE);
  }
  const isClosed = quote + 1 === end || (quote < end && view.getUint8(quote + 1) === separator);
  return isClosed ? quote : -1;
}

/**
 * Parses column names and returns the field index of each column, up to the last column that is
 * needed. The index is -1 if the column is not needed or repeats a field. The column named `client`
 * gets the index of the `forwarded` field. Columns such as `time-local` count if there is no
 * `time`.
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
