import { isAddress } from "../lines/address.ts";
import { FIELD_INDEX, type Spans } from "../lines/log_fields.ts";
import type { LinePiece, LineShape } from "../lines/line_shape.ts";
import type { LineSplitter, NoRequest } from "../lines/line_splitter.ts";
import { fieldEnd } from "../request_line.ts";
import { TimestampReader } from "../timestamp.ts";

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const DASH = 0x2d;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

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
 * Lines of the common and the combined format, found as the plain scanner finds them: the first
 * timestamp that exists, the quoted request behind it, the status and the bytes; then, quoted, the
 * referer and the user agent where they are there; last, how long it took, if that has `ms` behind.
 */
export class ClfSplitter implements LineSplitter {
  /** See `LineSplitter`. */
  readonly shape: LineShape;
  readonly #timestamps = new TimestampReader();
  readonly #hostFirst: boolean;

  /** For lines that begin with the client, or else with the host, and the client behind it. */
  constructor(begins: "client" | "host" = "client") {
    this.#hostFirst = begins === "host";
    this.shape = { before: "", pieces: this.#hostFirst ? HOST_AND_CLIENT : [], isClf: true };
  }

  /** See `LineSplitter`. */
  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    const stamp = this.#stamp(bytes, view, start, end);
    if (stamp < 0) return "no-timestamp";
    let at = stamp + TimestampReader.LENGTH;
    spans.set(TIME, stamp, at++);
    if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return "no-request";
    const quote = fieldEnd(bytes, at + 2);
    if (quote >= end) return "no-request";
    spans.set(REQUEST, at + 2, quote);
    // Whatever is wrong with the status or the bytes makes an empty status, which is a bad one.
    spans.set(STATUS, quote, quote);
    if (bytes[quote + 1] !== SPACE) return undefined;
    at = word(bytes, STATUS, quote + 2, spans);
    const size = bytes[at + 1];
    if (bytes[at] !== SPACE || (size !== DASH && !(size >= 0x30 && size <= 0x39))) {
      spans.set(STATUS, quote, quote);
      return undefined;
    }
    at = word(bytes, BYTES, at + 1, spans);
    at = quoted(bytes, REFERER, at, spans);
    at = quoted(bytes, AGENT, at, spans);
    forwarded(bytes, at, spans);
    word(bytes, CLIENT, start, spans);
    lastDuration(bytes, end, spans);
    return this.#hostFirst ? behindHost(bytes, start, stamp - 1, spans) : undefined;
  }

  #stamp(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    const last = end - TimestampReader.LENGTH - 2;
    for (let i = start + 2; i <= last; i++) {
      if (bytes[i] !== BRACKET || bytes[i - 1] !== SPACE) continue;
      if (bytes[i + 1 + TimestampReader.LENGTH] !== CLOSING_BRACKET) continue;
      if (this.#timestamps.read(view, i + 1) >= 0) return i + 1;
    }
    return -1;
  }
}

/**
 * Takes the first word for the host and the second for the client, if ` - ` and a user follow it before
 * the bracket. In lighttpd's lines, of which the client is the first, nothing comes between.
 */
function behindHost(
  bytes: Uint8Array,
  start: number,
  bracket: number,
  spans: Spans,
): NoRequest | undefined {
  const host = word(bytes, HOST, start, spans);
  const client = word(bytes, CLIENT, host + 1, spans);
  const isClient = client > host + 2 && bytes[client + 1] === DASH && bytes[client + 2] === SPACE;
  return isClient && bracket >= client + " - x ".length ? undefined : "no-request";
}

/** The word that starts at `from`, on the line; gives where it ends, on the line too. */
function word(bytes: Uint8Array, field: number, from: number, spans: Spans): number {
  let i = from;
  while (bytes[i] !== SPACE && bytes[i] !== LF) i++;
  spans.set(field, from, i);
  return i;
}

/** The quoted field behind the space at `at`, if there is one; gives where it ends. */
function quoted(bytes: Uint8Array, field: number, at: number, spans: Spans): number {
  if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return at;
  const quote = fieldEnd(bytes, at + 2);
  if (bytes[quote] !== QUOTE) return at;
  spans.set(field, at + 2, quote);
  return quote + 1;
}

/**
 * Notes the quoted field behind the space at `at` if it is a list of addresses, as nginx writes
 * `X-Forwarded-For` there. An address with a port is an upstream server's.
 */
function forwarded(bytes: Uint8Array, at: number, spans: Spans): void {
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

/** The word before the line's end, if it is `123ms`; `end` is behind what is no space. */
function lastDuration(bytes: Uint8Array, end: number, spans: Spans): void {
  if (bytes[end - 1] !== 0x73 || bytes[end - 2] !== 0x6d) return;
  let from = end - 2;
  while (bytes[from - 1] >= 0x30 && bytes[from - 1] <= 0x39) from--;
  if (bytes[from - 1] === SPACE) spans.set(DURATION, from, end - 2);
}
