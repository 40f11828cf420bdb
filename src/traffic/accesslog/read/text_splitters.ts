import * as ascii from "../../../base/ascii.ts";
import { findFieldEnd } from "./endpoint/request_line.ts";
import {
  FIELD_INDEX,
  isAddress,
  type LinePiece,
  type LineShape,
  type LineSplitter,
  type NoRequest,
  type Spans,
} from "./line_splitter.ts";
import { indexOfByte, indexOfEither } from "./text/bytes.ts";
import { CLF_BYTES, ClfTimeReader } from "./times/notations.ts";
import { findZoneEnd } from "./times/time_parts.ts";

const { BACKSLASH, CLOSE_BRACKET, COMMA, DASH, LF, OPEN_BRACKET, QUESTION, QUOTE, SPACE } = ascii;

/**
 * Splits lines with fixed delimiters between fields. Each field ends at the next occurrence of its
 * delimiter. An escaped quote does not end a quoted field. Text after the last delimiter is
 * ignored.
 */
export class PatternSplitter implements LineSplitter {
  readonly shape: LineShape;
  readonly #before: Uint8Array;
  readonly #fields: readonly number[];
  readonly #delimiters: readonly Uint8Array[];
  readonly #dashes: readonly boolean[];
  readonly #heads: readonly number[];
  readonly #isPadded: readonly boolean[];
  /** Bytes that end the last field; empty if it extends to the end of the line. */
  readonly #stops: Uint8Array;

  /** Creates a splitter for lines with this layout, which must not be JSON or CLF. */
  constructor(shape: LineShape) {
    this.shape = shape;
    const { before, pieces } = shape;
    const encoder = new TextEncoder();
    this.#before = encoder.encode(before);
    this.#fields = pieces.map(({ field }) => field === undefined ? -1 : FIELD_INDEX[field]);
    this.#dashes = pieces.map(({ emptyQueryIsDash }) => emptyQueryIsDash === true);
    this.#delimiters = pieces.map(({ delimiter }) => encoder.encode(delimiter));
    this.#heads = pieces.map(({ head }) => head ?? 0);
    this.#isPadded = pieces.map(({ isPadded }) => isPadded === true);
    this.#stops = encoder.encode(pieces.at(-1)?.stops);
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    if (!matchesAt(bytes, start, end, this.#before)) return "no-request";
    let at = start + this.#before.length;
    for (let i = 0; i < this.#fields.length; i++) {
      const delimiter = this.#delimiters[i];
      const head = this.#heads[i];
      if (this.#isPadded[i]) { while (bytes[at] === SPACE) at++; }
      let to = at + head > end
        ? -1
        : delimiter.length === 0
        ? this.#lastEnd(view, at + head, end)
        : fieldEnd(bytes, view, at + head, end, delimiter);
      if (to < 0) return "no-request";
      if (head > 0 && bytes[to] === SPACE) to = skipZone(bytes, to, end, delimiter);
      const field = this.#fields[i];
      if (field >= 0 && spans.from[field] < 0) {
        spans.set(field, at, this.#dashes[i] ? withoutDash(bytes, at, to) : to);
      }
      at = to + delimiter.length;
    }
    return undefined;
  }

  /**
   * Returns the end offset of the last field, which has no delimiter. The search starts at `from`.
   */
  #lastEnd(view: DataView, from: number, end: number): number {
    let to = end;
    for (let i = 0; i < this.#stops.length; i++) to = indexOfByte(view, from, to, this.#stops[i]);
    return to;
  }
}

/**
 * Returns the end offset of a timestamp that is followed by a space at `at`. If the space is
 * followed by a zone and `delimiter`, the zone is part of the timestamp. Otherwise, the timestamp
 * ends at `at`.
 */
function skipZone(bytes: Uint8Array, at: number, end: number, delimiter: Uint8Array): number {
  const to = findZoneEnd(bytes, at, end);
  return to >= 0 && matchesAt(bytes, to, end, delimiter) ? to : at;
}

function fieldEnd(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  delimiter: Uint8Array,
): number {
  const stop = delimiter[0];
  const isQuoted = stop === QUOTE;
  for (let i = from | 0; i < end;) {
    i = isQuoted ? indexOfEither(view, i, end, stop, BACKSLASH) : indexOfByte(view, i, end, stop);
    if (i >= end) return -1;
    if (bytes[i] !== stop) i += 2;
    else if (delimiter.length === 1 || matchesAt(bytes, i, end, delimiter)) return i;
    else i++;
  }
  return -1;
}

function matchesAt(bytes: Uint8Array, at: number, end: number, text: Uint8Array): boolean {
  if (at + text.length > end) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/**
 * Returns the end offset of the target in `bytes[from, to)`, without the final `-` that nginx
 * writes for an absent query.
 */
function withoutDash(bytes: Uint8Array, from: number, to: number): number {
  const isDash = to > from && bytes[to - 1] === DASH;
  return isDash && !bytes.subarray(from, to).includes(QUESTION) ? to - 1 : to;
}

// Copied into module-local constants so that V8 can inline them.
const TIME_BYTES = CLF_BYTES;
const {
  time: TIME,
  request: REQUEST,
  status: STATUS,
  bytes: BYTES,
  referer: REFERER,
  agent: AGENT,
  client: CLIENT,
  host: HOST,
  duration: DURATION,
  forwarded: FORWARDED,
} = FIELD_INDEX;

const HOST_AND_CLIENT: readonly LinePiece[] = [
  { field: "host", delimiter: " ", minLength: 0 },
  { field: "client", delimiter: " - ", minLength: 2 },
];

/**
 * Splits lines in the common and combined formats. A line contains a timestamp in brackets (the
 * first valid one counts), the quoted request, the status and the size in bytes. These fields may
 * follow: the quoted referer and user agent, a quoted list of client addresses, and, at the end of
 * the line, a duration such as `12ms`.
 */
export class ClfSplitter implements LineSplitter {
  readonly shape: LineShape;
  readonly #timestamps = new ClfTimeReader();
  readonly #hostFirst: boolean;

  /**
   * Creates a splitter. `begins` specifies what the lines begin with: `client` for the client, or
   * `host` for the host followed by the client.
   */
  constructor(begins: "client" | "host" = "client") {
    this.#hostFirst = begins === "host";
    this.shape = { before: "", pieces: this.#hostFirst ? HOST_AND_CLIENT : [], isClf: true };
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    const stamp = this.#findTimestamp(bytes, view, start, end);
    if (stamp < 0) return "no-timestamp";
    let at = stamp + TIME_BYTES;
    spans.set(TIME, stamp, at++);
    if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return "no-request";
    const quote = findFieldEnd(bytes, at + 2);
    if (quote >= end) return "no-request";
    spans.set(REQUEST, at + 2, quote);
    // If the status or the size is invalid, records an empty status, which `RequestReader` reports
    // as `bad-status`.
    spans.set(STATUS, quote, quote);
    if (bytes[quote + 1] !== SPACE) return undefined;
    at = readWord(bytes, STATUS, quote + 2, spans);
    const size = bytes[at + 1];
    if (bytes[at] !== SPACE || (size !== DASH && !(size >= 0x30 && size <= 0x39))) {
      spans.set(STATUS, quote, quote);
      return undefined;
    }
    at = readWord(bytes, BYTES, at + 1, spans);
    at = readQuoted(bytes, REFERER, at, spans);
    at = readQuoted(bytes, AGENT, at, spans);
    readForwarded(bytes, at, spans);
    // Some servers put each line in quotes.
    readWord(bytes, CLIENT, bytes[start] === QUOTE ? start + 1 : start, spans);
    readLastDuration(bytes, end, spans);
    return this.#hostFirst ? readHostAndClient(bytes, start, stamp - 1, spans) : undefined;
  }

  #findTimestamp(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    const last = end - TIME_BYTES - 2;
    for (let i = start + 2; i <= last; i++) {
      if (bytes[i] !== OPEN_BRACKET || bytes[i - 1] !== SPACE) continue;
      if (bytes[i + 1 + TIME_BYTES] !== CLOSE_BRACKET) continue;
      if (this.#timestamps.read(view, bytes, i + 1) >= 0) return i + 1;
    }
    return -1;
  }
}

/**
 * Records the first word of the line as the host and the second word as the client. Returns
 * `no-request` unless the client is followed by ` - `, a user and the bracket at `bracket`. This
 * excludes lighttpd's format, in which the client comes first, then the host and the user.
 */
function readHostAndClient(
  bytes: Uint8Array,
  start: number,
  bracket: number,
  spans: Spans,
): NoRequest | undefined {
  const host = readWord(bytes, HOST, start, spans);
  const client = readWord(bytes, CLIENT, host + 1, spans);
  const isClient = client > host + 2 && bytes[client + 1] === DASH && bytes[client + 2] === SPACE;
  return isClient && bracket >= client + " - x ".length ? undefined : "no-request";
}

/**
 * Records the word at `from` as the field with index `field`. Returns the end offset of the word.
 */
function readWord(bytes: Uint8Array, field: number, from: number, spans: Spans): number {
  let i = from;
  while (bytes[i] !== SPACE && bytes[i] !== LF) i++;
  spans.set(field, from, i);
  return i;
}

/**
 * Records the quoted string after the space at `at` as the field with index `field`. Returns the
 * offset after the closing quote, or `at` if no quoted string follows.
 */
function readQuoted(bytes: Uint8Array, field: number, at: number, spans: Spans): number {
  if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return at;
  const quote = findFieldEnd(bytes, at + 2);
  if (bytes[quote] !== QUOTE) return at;
  spans.set(field, at + 2, quote);
  return quote + 1;
}

/**
 * Records the quoted string after the space at `at` as the `forwarded` field if it is a list of
 * addresses without ports, which is how nginx logs `X-Forwarded-For`. An address with a port is the
 * address of an upstream server.
 */
function readForwarded(bytes: Uint8Array, at: number, spans: Spans): void {
  if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return;
  let from = at + 2;
  for (let i = from;; i++) {
    if (bytes[i] !== QUOTE && bytes[i] !== COMMA) {
      if (bytes[i] === LF) return;
      continue;
    }
    if (!isAddress(bytes, from, i)) return;
    if (bytes[i] === QUOTE) return spans.set(FORWARDED, at + 2, i);
    from = bytes[i + 1] === SPACE ? i + 2 : i + 1;
  }
}

/** Records the last word of the line as the `duration` field if it has the form `123ms`. */
function readLastDuration(bytes: Uint8Array, end: number, spans: Spans): void {
  if (bytes[end - 1] !== 0x73 || bytes[end - 2] !== 0x6d) return;
  let from = end - 2;
  while (bytes[from - 1] >= 0x30 && bytes[from - 1] <= 0x39) from--;
  if (bytes[from - 1] === SPACE) spans.set(DURATION, from, end - 2);
}
