import * as ascii from "../../../base/ascii.ts";
import { indexOfByte, indexOfEither } from "./field_text.ts";
import {
  FIELD_INDEX,
  isAddress,
  type LinePiece,
  type LineShape,
  type LineSplitter,
  type LogField,
  type NoRequest,
  type Spans,
} from "./log_format.ts";
import {
  CLF_BYTES,
  CLOCK_BYTES,
  createTimeReader,
  type DatedTime,
  TIME_NOTATIONS,
  type TimeFormat,
} from "./notations.ts";
import { minLayoutBytes, parseZone } from "./time_layout.ts";

const { BACKSLASH, CLOSE_BRACKET, COLON, COMMA, DASH, LF, OPEN_BRACKET, QUESTION, QUOTE, SPACE } =
  ascii;

/** A field ends at its next delimiter, except an escaped quote. Ignores text after the last. */
export function patternSplitter(shape: LineShape): LineSplitter {
  const encoder = new TextEncoder();
  const before = encoder.encode(shape.before);
  const pieces = shape.pieces.map(({ field, delimiter, head, isPadded, emptyQueryIsDash }) => ({
    field: field === undefined ? -1 : FIELD_INDEX[field],
    delimiter: encoder.encode(delimiter),
    head: head ?? 0,
    isPadded: isPadded === true,
    mayEndWithDash: emptyQueryIsDash === true,
  }));
  /** Empty if the last field extends to the end of the line. */
  const stops = encoder.encode(shape.pieces.at(-1)?.stops);
  return {
    shape,
    split(bytes, view, start, end, spans) {
      if (!matchesAt(bytes, start, end, before)) return "no-request";
      let at = start + before.length;
      for (let i = 0; i < pieces.length; i++) {
        const { field, delimiter, head, isPadded, mayEndWithDash } = pieces[i];
        if (isPadded) { while (bytes[at] === SPACE) at++; }
        const from = at + head;
        let to = from > end ? -1 : end;
        if (to >= 0 && delimiter.length > 0) to = fieldEnd(bytes, view, from, end, delimiter);
        else for (const stop of stops) to = indexOfByte(view, from, to, stop);
        if (to < 0) return "no-request";
        if (head > 0 && bytes[to] === SPACE) to = skipZone(bytes, to, end, delimiter);
        if (field >= 0 && spans.from[field] < 0) {
          spans.set(field, at, mayEndWithDash ? withoutDash(bytes, at, to) : to);
        }
        at = to + delimiter.length;
      }
      return undefined;
    },
  };
}

/** End of a timestamp before the space at `at`, including a zone if one and `delimiter` follow. */
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

/** The end of the target without the final `-` that nginx writes for an absent query. */
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
const { clockAt: CLOCK, dateBytes: DATE_BYTES } = TIME_NOTATIONS.clf.counted as DatedTime;
const CLOCK_END = CLOCK + CLOCK_BYTES;

/**
 * Reads the common and combined formats: the first valid timestamp in brackets, the quoted request,
 * status and size, perhaps the quoted referer, agent and client addresses, and a final `12ms`. The
 * line begins with the client, or with the host and the client.
 */
export function clfSplitter(begins: "client" | "host"): LineSplitter {
  const timestamps = createTimeReader({ time: "clf" });
  const isHostFirst = begins === "host";

  function findTimestamp(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    const last = end - TIME_BYTES - 1;
    for (let i = start + 3; i <= last; i++) {
      if (bytes[i - 1] !== OPEN_BRACKET || bytes[i - 2] !== SPACE) continue;
      if (bytes[i + TIME_BYTES] !== CLOSE_BRACKET || bytes[i + DATE_BYTES] !== COLON) continue;
      if (bytes[i + CLOCK_END] !== SPACE) continue;
      if (timestamps.read(view, bytes, i, i + TIME_BYTES, -1) >= 0) return i;
    }
    return -1;
  }

  return {
    shape: { before: "", pieces: isHostFirst ? HOST_AND_CLIENT : [], isClf: true },
    split(bytes, view, start, end, spans) {
      const stamp = findTimestamp(bytes, view, start, end);
      if (stamp < 0) return "no-timestamp";
      let at = stamp + TIME_BYTES;
      spans.set(TIME, stamp, at++);
      if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return "no-request";
      const quote = findQuote(bytes, at + 2);
      if (quote >= end) return "no-request";
      spans.set(REQUEST, at + 2, quote);
      // An empty status for an invalid status or size, which is then reported as `bad-status`.
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
      return isHostFirst ? readHostAndClient(bytes, start, stamp - 1, spans) : undefined;
    },
  };
}

/** The quote that closes the field, or the next LF. */
function findQuote(bytes: Uint8Array, from: number): number {
  let i = from;
  for (; bytes[i] !== QUOTE && bytes[i] !== LF; i++) {
    if (bytes[i] === BACKSLASH && bytes[i + 1] !== LF) i++;
  }
  return i;
}

/** `no-request` unless ` - `, a user and the bracket follow, which excludes lighttpd's format. */
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

/** Returns the end of the word. */
function readWord(bytes: Uint8Array, field: number, from: number, spans: Spans): number {
  let i = from;
  while (bytes[i] !== SPACE && bytes[i] !== LF) i++;
  spans.set(field, from, i);
  return i;
}

/** Records the quoted string after the space at `at`. Returns its end, or `at` if there is none. */
function readQuoted(bytes: Uint8Array, field: number, at: number, spans: Spans): number {
  if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return at;
  const quote = findQuote(bytes, at + 2);
  if (bytes[quote] !== QUOTE) return at;
  spans.set(field, at + 2, quote);
  return quote + 1;
}

/** Reads `X-Forwarded-For` as nginx logs it. An address with a port is that of an upstream. */
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

const WORDS: ReadonlySet<LogField | undefined> = new Set<LogField | undefined>([
  ...["client", "time", "method", "target", "query", "status", "bytes", "host"] as const,
  ...["duration", "duration2", "duration3"] as const,
]);

/** `literals[i]` precedes `fields[i]`. Fields without text between them become one. */
export function parsePieces(
  literals: readonly string[],
  fields: readonly (LogField | undefined)[],
  time: TimeFormat,
  emptyQuery: "-" | "" = "",
): LineShape {
  const request = fields.indexOf("request");
  if (request >= 0 && literals[request + 1].startsWith(" ")) {
    // A space does not end a request, which contains spaces. Its HTTP version does.
    return parsePieces(
      literals.toSpliced(request + 1, 0, " ", " HTTP/"),
      fields.toSpliced(request, 1, "method", "target", undefined),
      time,
      emptyQuery,
    );
  }
  const pieces: { -readonly [K in keyof LinePiece]: LinePiece[K] }[] = [];
  fields.forEach((field, i) => {
    const last = pieces.at(-1);
    if (last?.delimiter !== "") {
      // Several spaces before a field are padding, whose length differs from line to line.
      const isPadded = last !== undefined && / {2}$/.test(last.delimiter);
      if (isPadded) last.delimiter = last.delimiter.trimEnd() + " ";
      pieces.push({ field, delimiter: literals[i + 1], ...(isPadded && { isPadded }) });
    } else {
      last.delimiter = literals[i + 1];
      if (last.field === "path") last.field = "target";
      if (field === "query" && emptyQuery === "-") last.emptyQueryIsDash = true;
    }
  });
  for (const piece of pieces) if (piece.field === "time") piece.head = headLength(time);
  const last = pieces.at(-1);
  const divider = (pieces.at(-2)?.delimiter ?? literals[0]).at(-1) ?? "";
  if (last?.delimiter === "") last.stops = findStops(last.field, divider);
  return { before: literals[0], pieces };
}

/** A line may have more fields than the pattern. `divider` precedes the field. */
function findStops(field: LogField | undefined, divider: string): string | undefined {
  if (!WORDS.has(field)) return /[\t|]/.exec(divider)?.[0];
  return [...new Set(`${/[\t|;,]/.exec(divider)?.[0] ?? ""} \t`)].join("");
}

/** Bytes before the search for the delimiter: 0 for notations without spaces. */
function headLength({ time, layout }: TimeFormat): number {
  if (layout !== undefined) return minLayoutBytes(layout);
  const { counted } = TIME_NOTATIONS[time];
  const isDated = typeof counted === "object" && !counted.isDateSeparate;
  return isDated ? counted.clockAt + CLOCK_BYTES : 0;
}

/** `<name>` is a field, `<>` text to skip, `<~name>` a field padded with leading spaces. */
export function parseLayout(text: string, time: TimeFormat): LineShape {
  const parts = text.split(/<(~?[a-z0-9]*)>/);
  const names = parts.filter((_, i) => i % 2 === 1);
  const shape = parsePieces(
    parts.filter((_, i) => i % 2 === 0),
    names.map((name) => (name.replace("~", "") || undefined) as LogField | undefined),
    time,
  );
  // No two fields are adjacent in a named format, so `names` and `pieces` correspond.
  const pieces = shape.pieces.map((piece, i) =>
    names[i].startsWith("~") ? { ...piece, isPadded: true } : piece
  );
  return { ...shape, pieces };
}

/** Returns the end of a zone that ends at a space or at `end`, or -1. */
function findZoneEnd(bytes: Uint8Array, at: number, end: number): number {
  let to = at + 1;
  while (to < end && to <= at + 7 && bytes[to] !== SPACE) to++;
  const isEnded = to > at + 1 && (to === end || bytes[to] === SPACE);
  return isEnded && !Number.isNaN(parseZone(bytes, at, to)) ? to : -1;
}
