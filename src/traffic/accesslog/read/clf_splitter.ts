import * as ascii from "../../../base/ascii.ts";
import {
  FIELD_INDEX,
  isAddress,
  type LinePiece,
  type LineShape,
  type LineSplitter,
  type NoRequest,
  type Spans,
} from "./line_splitter.ts";
import { findFieldEnd } from "./endpoint/request_line.ts";
import { CLF_BYTES, ClfTimeReader } from "./times/notations.ts";

const { CLOSE_BRACKET, COMMA, DASH, LF, OPEN_BRACKET, QUOTE, SPACE } = ascii;

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
