import * as ascii from "../../../base/ascii.ts";
import { MAX_LINE_BYTES, SLACK } from "./text/line_bounds.ts";
import type { LogFormat } from "./log_format.ts";
import { findAuthorityEnd, findMethodEnd, findTargetEnd } from "./endpoint/request_line.ts";
import { escapeField, JSON_ESCAPES, unescape } from "./text/escapes.ts";
import { FIELD_INDEX } from "./log_fields.ts";
import type { LineShape, LineSplitter, NoRequest } from "./line_splitter.ts";
import { LogRequest } from "./log_request.ts";
import { setFirstAddress } from "./address.ts";
import { parseDecimal } from "./text/decimal.ts";
import { TimeReader } from "./times/time_reader.ts";
import type { LineUnwrapper } from "./wrappers.ts";

const { BACKSLASH, COLON, CR, DASH, LF, QUESTION, QUOTE, SLASH, SPACE, ZERO } = ascii;

const LETTER_H = 0x68;
const LETTER_P = 0x70;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
// Big-endian words and bytes of ` HTTP/1.1"` and an LF.
const HTTP = 0x20485454;
const VERSION = 0x502f312e;
const ONE = 0x31;
const QUOTE_LF = 0x220a;

// Copied into module-local constants, because V8 inlines only those.
const {
  time: TIME,
  date: DATE,
  status: STATUS,
  request: REQUEST,
  target: TARGET,
  path: PATH,
  method: METHOD,
  query: QUERY,
  client: CLIENT,
  duration: DURATION,
  duration3: DURATION3,
  forwarded: FORWARDED,
} = FIELD_INDEX;

/** Parses log lines of one format, one at a time, into a reused `LogRequest`. */
export class RequestReader {
  /** The request that the last successful `read` found; overwritten by the next `read`. */
  readonly request: LogRequest = new LogRequest();
  readonly #format: LogFormat;
  readonly #splitter: LineSplitter;
  readonly #times: TimeReader;
  readonly #unwrap: LineUnwrapper | undefined;
  /** Buffer for a request line assembled from separate fields. */
  readonly #line = new Uint8Array(MAX_LINE_BYTES * 4 + SLACK);
  readonly #lineView = new DataView(this.#line.buffer);
  /** Buffer for an unescaped field. */
  readonly #plain = new Uint8Array(MAX_LINE_BYTES * 2);

  /** Creates a reader for the lines of one log. */
  constructor(format: LogFormat) {
    this.#format = format;
    this.#splitter = format.splitter();
    this.#times = new TimeReader(format.time, format.layout);
    this.#unwrap = format.wrapper?.unwrap();
  }

  /**
   * Layout of the lines after the last one that was read; undefined if the lines are wrapped or the
   * format has no fixed layout.
   */
  get shape(): LineShape | undefined {
    return this.#unwrap === undefined ? this.#splitter.shape : undefined;
  }

  /**
   * Parses the line `bytes[start, end)` into `request`. Its LF is at `end`, and `SLACK` bytes after
   * it must be readable. Returns undefined, or the reason if the line has no valid request.
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
    if (this.#format.clientHasPort) this.#cutPort(bytes);
    if (from[FORWARDED] >= 0) setFirstAddress(bytes, from[FORWARDED], spans.to[FORWARDED], spans);
    return undefined;
  }

  #readLine(bytes: Uint8Array, view: DataView): NoRequest | undefined {
    const { spans, key, line } = this.request;
    const from = spans.from[REQUEST];
    const to = spans.to[REQUEST];
    const isQuoted = from >= 0 && this.#format.escapes === "log" && bytes[to] === QUOTE;
    if (isQuoted && !this.#isAbsolute(bytes, from)) {
      if (line.bytes !== bytes) line.bytes = bytes;
      line.from = from;
      line.to = to;
      key.read(bytes, view, from);
    } else {
      const end = from >= 0
        ? this.#copyRequest(bytes, view, from, to)
        : this.#joinFields(bytes, view);
      if (end < 0) return "no-request";
      this.#terminateLine(end, from < 0);
      if (line.bytes !== this.#line) line.bytes = this.#line;
      line.from = 0;
      line.to = key.read(this.#line, this.#lineView, 0);
    }
    return key.isRequest ? undefined : "bad-request";
  }

  /**
   * Ends the assembled request line at offset `at` of `#line` with a quote and an LF. If `isBare`,
   * first adds ` HTTP/1.1`.
   */
  #terminateLine(at: number, isBare: boolean): void {
    const view = this.#lineView;
    let quote = at | 0;
    if (isBare) {
      view.setInt32(quote, HTTP);
      view.setInt32(quote + 4, VERSION);
      quote += 8;
      view.setUint8(quote++, ONE);
    }
    view.setInt16(quote, QUOTE_LF);
  }

  /**
   * Reports whether the target of the request line at `from` is an absolute URL, as load balancers
   * write it.
   */
  #isAbsolute(bytes: Uint8Array, from: number): boolean {
    let i = from;
    while (bytes[i] !== SPACE && bytes[i] !== QUOTE) i++;
    return bytes[i + 1] === LETTER_H && bytes[i + 4] === LETTER_P;
  }

  /**
   * Copies the request line `bytes[from, to)` to the start of `#line`, without the scheme and host of
   * its target. Returns the end offset in `#line`.
   */
  #copyRequest(bytes: Uint8Array, view: DataView, from: number, to: number): number {
    const target = findMethodEnd(bytes, from) + 1;
    const end = target > 0 ? findTargetEnd(bytes, target, to) : -1;
    const path = end > target && bytes[target] !== SLASH
      ? findAuthorityEnd(bytes, target, end)
      : -1;
    if (path < 0 || path >= end || bytes[path] !== SLASH) {
      return this.#copy(bytes, view, from, to, 0);
    }
    return this.#copy(bytes, view, path, to, this.#copy(bytes, view, from, target, 0));
  }

  /**
   * Assembles `METHOD target` in `#line` from separate fields, without an HTTP version. Returns the end
   * offset in `#line`, or -1 if the method or the target is missing.
   */
  #joinFields(bytes: Uint8Array, view: DataView): number {
    const { from, to } = this.request.spans;
    const target = from[TARGET] >= 0 ? TARGET : PATH;
    if (from[METHOD] < 0 || from[target] < 0) return -1;
    const between = to[METHOD];
    let at: number;
    if (from[target] === between + 1 && bytes[between] !== QUOTE && bytes[between] !== BACKSLASH) {
      at = this.#copy(bytes, view, from[METHOD], to[target], 0);
      this.#line[between - from[METHOD]] = SPACE;
    } else {
      at = this.#copy(bytes, view, from[METHOD], between, 0);
      this.#line[at++] = SPACE;
      at = this.#copy(bytes, view, from[target], to[target], at);
    }
    if (target === TARGET || !this.request.has("query")) return at;
    if (bytes[from[QUERY]] !== QUESTION) this.#line[at++] = QUESTION;
    return this.#copy(bytes, view, from[QUERY], to[QUERY], at);
  }

  /**
   * Copies the field `bytes[from, to)` to offset `at` of `#line`, escaped like a quoted field in a log.
   * Returns the end offset in `#line`.
   */
  #copy(bytes: Uint8Array, view: DataView, from: number, to: number, at: number): number {
    const end = to | 0;
    const shift = (at - from) | 0;
    if (this.#copyBytes(view, from | 0, end, shift)) return end + shift;
    if (this.#format.escapes === "log") return at + to - from;
    if (this.#format.escapes === "none") return escapeField(bytes, from, to, this.#line, at);
    const length = unescape(JSON_ESCAPES, bytes, from, to, this.#plain);
    return escapeField(this.#plain, 0, length, this.#line, at);
  }

  /**
   * Copies the bytes `[from, to)` of `view` to `#line`, at the same offset plus `shift`. Returns true
   * if they contain neither a quote nor a backslash, so that they need no escaping.
   */
  #copyBytes(view: DataView, from: number, to: number, shift: number): boolean {
    const lineView = this.#lineView;
    let odd = 0;
    // Four bytes at a time; see `byte_search.ts`.
    for (let i = from; i < to; i += 4) {
      let word = view.getInt32(i, true);
      if (to - i < 4) word &= (1 << ((to - i) << 3)) - 1;
      const x = word ^ QUOTES;
      const y = word ^ BACKSLASHES;
      odd |= (x - 0x01010101) & ~x | (y - 0x01010101) & ~y;
      lineView.setInt32(i + shift, word, true);
    }
    return (odd & 0x80808080) === 0;
  }

  #cutPort(bytes: Uint8Array): void {
    const { from, to } = this.request.spans;
    let colon = to[CLIENT] - 1;
    while (colon > from[CLIENT] && bytes[colon] !== COLON) colon--;
    if (colon > from[CLIENT]) to[CLIENT] = colon;
  }

  #readDuration(bytes: Uint8Array): void {
    const { from, to } = this.request.spans;
    const { durationUnit } = this.#format;
    let sum = -1;
    for (let field = DURATION; field <= DURATION3; field++) {
      if (from[field] < 0) break;
      const part = parseDecimal(bytes, from[field], to[field], durationUnit);
      if (part < 0) return void (this.request.durationMs = -1);
      sum = Math.max(0, sum) + part;
    }
    this.request.durationMs = sum;
  }
}

/** Parses a three-digit HTTP status. Returns 0 for `-` (no status) and -1 if the text is invalid. */
function status(bytes: Uint8Array, from: number, to: number): number {
  if (to - from === 1 && bytes[from] === DASH) return 0;
  if (to - from !== 3) return -1;
  const hundreds = bytes[from] - ZERO;
  const tens = bytes[from + 1] - ZERO;
  const ones = bytes[from + 2] - ZERO;
  const isNumber = hundreds >= 0 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 &&
    ones <= 9;
  return isNumber ? hundreds * 100 + tens * 10 + ones : -1;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (bytes[i] !== SPACE && bytes[i] !== 0x09 && bytes[i] !== CR && bytes[i] !== LF) return false;
  }
  return true;
}
