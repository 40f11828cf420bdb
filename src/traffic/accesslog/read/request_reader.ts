import * as ascii from "../../../base/ascii.ts";
import { MAX_LINE_BYTES, parseDuration } from "./text/bytes.ts";
import type { LogFormat } from "./log_format.ts";
import {
  FIELD_INDEX,
  type LineShape,
  type LineSplitter,
  type NoRequest,
  setFirstAddress,
} from "./line_splitter.ts";
import { LogRequest } from "./log_request.ts";
import { RequestLineCopy } from "./request_line_copy.ts";
import type { TimeReader } from "./times/time_parts.ts";
import { TIME_NOTATIONS } from "./times/notations.ts";
import { ZonedTimeReader } from "./times/zoned_time.ts";
import type { LineUnwrapper } from "./wrappers.ts";

const { COLON, CR, DASH, DOT, LF, QUOTE, SPACE, ZERO } = ascii;

/**
 * Longest plausible duration of a request, in milliseconds. A longer one is ignored as an error.
 */
const MAX_DURATION_MS = 86_400_000;
const LETTER_H = 0x68;
const LETTER_P = 0x70;

// Copied into module-local constants, because V8 inlines only such constants.
const {
  time: TIME,
  date: DATE,
  status: STATUS,
  request: REQUEST,
  client: CLIENT,
  duration: DURATION,
  duration3: DURATION3,
  forwarded: FORWARDED,
} = FIELD_INDEX;

/** Parses log lines of one format, one at a time, into a reused `LogRequest`. */
export class RequestReader {
  /** The request from the last successful `read`. The next `read` overwrites it. */
  readonly request: LogRequest;
  readonly #format: LogFormat;
  readonly #splitter: LineSplitter;
  readonly #times: TimeReader;
  // Copied from the format, because formats are objects of many different shapes, whose properties
  // V8 looks up slowly. bench: scripts/bench/accesslog.ts
  readonly #hasLogEscapes: boolean;
  readonly #clientHasPort: boolean;
  readonly #durationUnit: number;
  /** `LogFormat.decimalUnit`, or 0. */
  readonly #decimalUnit: number;
  readonly #unwrap: LineUnwrapper | undefined;
  readonly #copy: RequestLineCopy;

  /**
   * Creates a reader for the lines of one log. Several readers can share one `request`, to save the
   * memory for its large buffers. Use each request before any of these readers reads another line.
   */
  constructor(format: LogFormat, request: LogRequest = new LogRequest()) {
    this.request = request;
    this.#format = format;
    this.#hasLogEscapes = format.escapes === "log";
    this.#clientHasPort = format.clientHasPort === true;
    this.#durationUnit = format.durationUnit;
    this.#decimalUnit = format.decimalUnit ?? 0;
    this.#splitter = format.splitter();
    this.#copy = new RequestLineCopy(format, this.#splitter);
    const times = TIME_NOTATIONS[format.time].reader(format.layout ?? "");
    this.#times = format.timeZone === undefined
      ? times
      : new ZonedTimeReader(times, format.timeZone);
    this.#unwrap = format.wrapper?.unwrap();
  }

  /**
   * Layout of the lines that follow the last line passed to `read`; undefined if the lines are
   * wrapped, the format has no fixed layout, or the format has a time zone, whose UTC offset can
   * change within a day.
   */
  get shape(): LineShape | undefined {
    return this.#unwrap === undefined && this.#format.timeZone === undefined
      ? this.#splitter.shape
      : undefined;
  }

  /**
   * Parses the line `bytes[start, end)` into `request`. Its LF is at `end`, and `SLACK` bytes after
   * it must be readable. If the line contains no valid request, returns the reason. Otherwise,
   * returns undefined.
   */
  read(bytes: Uint8Array, view: DataView, start: number, end: number): NoRequest | undefined {
    if (end - start > MAX_LINE_BYTES) return "line-too-long";
    if (this.#unwrap === undefined) return this.#read(bytes, view, start, end);
    const inner = this.#unwrap(bytes, view, start, end);
    if (inner === undefined) return isBlank(bytes, start, end) ? "ignored" : "no-request";
    return this.#read(inner.bytes, inner.view ?? view, inner.start, inner.end);
  }

  #read(bytes: Uint8Array, view: DataView, start: number, end: number): NoRequest | undefined {
    let to = end;
    while (to > start && bytes[to - 1] === CR) to--;
    if (bytes[start] <= SPACE && isBlank(bytes, start, to)) return "ignored";
    const { request } = this;
    const { spans } = request;
    spans.clear();
    const failed = this.#splitter.split(bytes, view, start, to, spans);
    if (failed !== undefined) return failed;
    if (request.bytes !== bytes) request.bytes = bytes;
    request.reset();
    const { from } = spans;
    const time = from[TIME];
    request.timeMs = time < 0
      ? -1
      : this.#times.read(view, bytes, time, spans.to[TIME], from[DATE]);
    if (request.timeMs < 0) return "no-timestamp";
    request.hasZone = this.#times.hasZone;
    const bad = this.#readLine(bytes, view);
    if (bad !== undefined) return bad;
    request.status = from[STATUS] < 0 ? 0 : status(bytes, from[STATUS], spans.to[STATUS]);
    if (request.status < 0) return "bad-status";
    this.#readDuration(bytes);
    if (this.#clientHasPort) this.#cutPort(bytes);
    if (from[FORWARDED] >= 0) this.#readForwarded(bytes);
    return undefined;
  }

  #readLine(bytes: Uint8Array, view: DataView): NoRequest | undefined {
    const { spans, key, line } = this.request;
    const from = spans.from[REQUEST];
    const to = spans.to[REQUEST];
    const isQuoted = from >= 0 && this.#hasLogEscapes && bytes[to] === QUOTE;
    if (isQuoted && !this.#isAbsolute(bytes, from)) {
      if (line.bytes !== bytes) line.bytes = bytes;
      line.from = from;
      line.to = to;
      key.read(bytes, view, from);
    } else {
      const copy = this.#copy;
      if (from >= 0) copy.copyLine(bytes, view, from, to);
      else if (!copy.joinFields(bytes, view, this.request)) return "no-request";
      if (line.bytes !== copy.bytes) line.bytes = copy.bytes;
      line.from = 0;
      line.to = key.read(copy.bytes, copy.view, 0);
    }
    return key.isRequest ? undefined : "bad-request";
  }

  /**
   * Reports whether the target of the request line at `from` is an absolute URL, as written by load
   * balancers. May return true for other targets.
   */
  #isAbsolute(bytes: Uint8Array, from: number): boolean {
    let i = from;
    while (bytes[i] !== SPACE && bytes[i] !== QUOTE) i++;
    return bytes[i + 1] === LETTER_H && bytes[i + 4] === LETTER_P;
  }

  #cutPort(bytes: Uint8Array): void {
    const { from, to } = this.request.spans;
    let colon = to[CLIENT] - 1;
    while (colon > from[CLIENT] && bytes[colon] !== COLON) colon--;
    if (colon > from[CLIENT]) to[CLIENT] = colon;
  }

  #readForwarded(bytes: Uint8Array): void {
    const { spans } = this.request;
    const [from, to] = [spans.from[FORWARDED], spans.to[FORWARDED]];
    if (setFirstAddress(bytes, from, to, spans)) return;
    if (this.#format.forwardedIsClient && this.request.has("forwarded")) {
      spans.set(CLIENT, from, to);
    }
  }

  #readDuration(bytes: Uint8Array): void {
    const { from, to } = this.request.spans;
    let sum = -1;
    for (let field = DURATION; field <= DURATION3; field++) {
      if (from[field] < 0) break;
      const unit = this.#decimalUnit > 0 && hasPoint(bytes, from[field], to[field])
        ? this.#decimalUnit
        : this.#durationUnit;
      const part = parseDuration(bytes, from[field], to[field], unit);
      if (part < 0 || part > MAX_DURATION_MS) return void (this.request.durationMs = -1);
      sum = Math.max(0, sum) + part;
    }
    this.request.durationMs = sum;
  }
}

/**
 * Parses the three-digit HTTP status in `bytes[from, to)`. Returns 0 for `-`, `0` and `-1`, which
 * servers write if the client disconnected before the response, or -1 if the status is invalid.
 */
function status(bytes: Uint8Array, from: number, to: number): number {
  if (to - from === 1 && (bytes[from] === DASH || bytes[from] === ZERO)) return 0;
  if (to - from === 2 && bytes[from] === DASH && bytes[from + 1] === ZERO + 1) return 0;
  if (to - from !== 3) return -1;
  const hundreds = bytes[from] - ZERO;
  const tens = bytes[from + 1] - ZERO;
  const ones = bytes[from + 2] - ZERO;
  const isNumber = hundreds >= 0 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 &&
    ones <= 9;
  return isNumber ? hundreds * 100 + tens * 10 + ones : -1;
}

function hasPoint(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === DOT) return true;
  return false;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (bytes[i] !== SPACE && bytes[i] !== 0x09 && bytes[i] !== CR && bytes[i] !== LF) return false;
  }
  return true;
}
