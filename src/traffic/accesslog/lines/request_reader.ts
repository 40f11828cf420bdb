import type { LogFormat } from "../formats/log_format.ts";
import { MAX_LINE_BYTES } from "../limits.ts";
import { authorityEnd, methodEnd, targetEnd } from "../request_line.ts";
import { escapeField, unescapeJson } from "./escapes.ts";
import { AT } from "./fields.ts";
import { LogRequest } from "./log_request.ts";
import { decimal, MomentReader } from "./moment.ts";
import type { LineSplitter, NoRequest } from "./splitter.ts";
import type { Unwrap } from "./wrappers.ts";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DASH = 0x2d;
const COLON = 0x3a;
const QUESTION = 0x3f;
const SLASH = 0x2f;
const LETTER_H = 0x68;
const LETTER_P = 0x70;
const VERSION = new TextEncoder().encode(' HTTP/1.1"\n');
const LINE_END = VERSION.subarray(-2);

/** Reads lines of one format, whatever it is, into the one shape of a request. */
export class RequestReader {
  /** The request of the line read last. */
  readonly request: LogRequest = new LogRequest();
  readonly #format: LogFormat;
  readonly #splitter: LineSplitter;
  readonly #moments: MomentReader;
  readonly #unwrap: Unwrap | undefined;
  /** A request line that had to be put together, and what it is put together from. */
  readonly #line = new Uint8Array(MAX_LINE_BYTES * 4 + VERSION.length);
  readonly #lineView = new DataView(this.#line.buffer);
  readonly #plain = new Uint8Array(MAX_LINE_BYTES * 2);

  /** For the lines of one log. */
  constructor(format: LogFormat) {
    this.#format = format;
    this.#splitter = format.splitter();
    this.#moments = new MomentReader(format.time);
    this.#unwrap = format.wrapper?.unwrap();
  }

  /** Reads the line from `start` to the LF at `end`; gives what it is when it is no request. */
  read(bytes: Uint8Array, view: DataView, start: number, end: number): NoRequest | undefined {
    if (end - start > MAX_LINE_BYTES) return "line-too-long";
    if (this.#unwrap === undefined) return this.#read(bytes, view, start, end);
    const inner = this.#unwrap(bytes, start, end);
    if (inner === undefined) return isBlank(bytes, start, end) ? "aside" : "no-request";
    return this.#read(inner.bytes, inner.view ?? view, inner.start, inner.end);
  }

  #read(bytes: Uint8Array, view: DataView, start: number, end: number): NoRequest | undefined {
    let to = end;
    while (to > start && bytes[to - 1] === CR) to--;
    if (isBlank(bytes, start, to)) return "aside";
    const { request } = this;
    const { spans } = request;
    spans.clear();
    const failed = this.#splitter.split(bytes, view, start, to, spans);
    if (failed !== undefined) return failed;
    request.bytes = bytes;
    request.renew();
    const { from } = spans;
    const time = from[AT.time];
    request.timeMs = time < 0
      ? -1
      : this.#moments.read(view, bytes, time, spans.to[AT.time], from[AT.date]);
    if (request.timeMs < 0) return "no-timestamp";
    const bad = this.#readLine(bytes, view);
    if (bad !== undefined) return bad;
    request.status = from[AT.status] < 0 ? 0 : status(bytes, from[AT.status], spans.to[AT.status]);
    if (request.status < 0) return "bad-status";
    this.#readDuration(bytes);
    if (this.#format.clientHasPort) this.#cutPort(bytes);
    return undefined;
  }

  #readLine(bytes: Uint8Array, view: DataView): NoRequest | undefined {
    const { spans, key, line } = this.request;
    const from = spans.from[AT.request];
    const to = spans.to[AT.request];
    const isQuoted = from >= 0 && this.#format.escapes === "log" && bytes[to] === QUOTE;
    if (isQuoted && !this.#isAbsolute(bytes, from)) {
      line.bytes = bytes;
      line.from = from;
      line.to = to;
      key.read(bytes, view, from);
    } else {
      const end = from >= 0 ? this.#copyRequest(bytes, from, to) : this.#join(bytes);
      if (end < 0) return "no-request";
      const tail = from >= 0 ? LINE_END : VERSION;
      for (let i = 0; i < tail.length; i++) this.#line[end + i] = tail[i];
      line.bytes = this.#line;
      line.from = 0;
      line.to = key.read(this.#line, this.#lineView, 0);
    }
    return key.isRequest ? undefined : "bad-request";
  }

  /** Whether the target of a request line is a URL, as load balancers write it. */
  #isAbsolute(bytes: Uint8Array, from: number): boolean {
    let i = from;
    while (bytes[i] !== SPACE && bytes[i] !== QUOTE) i++;
    return bytes[i + 1] === LETTER_H && bytes[i + 4] === LETTER_P;
  }

  /** Copies a whole request line, scheme and host left out; gives where it ends. */
  #copyRequest(bytes: Uint8Array, from: number, to: number): number {
    const target = methodEnd(bytes, from) + 1;
    const end = target > 0 ? targetEnd(bytes, target, to) : -1;
    const path = end > target && bytes[target] !== SLASH ? authorityEnd(bytes, target, end) : -1;
    if (path < 0 || path >= end || bytes[path] !== SLASH) return this.#copy(bytes, from, to, 0);
    return this.#copy(bytes, path, to, this.#copy(bytes, from, target, 0));
  }

  /** Puts the line together from its fields; gives where it ends without a version, or -1. */
  #join(bytes: Uint8Array): number {
    const { from, to } = this.request.spans;
    const target = from[AT.target] >= 0 ? AT.target : AT.path;
    if (from[AT.method] < 0 || from[target] < 0) return -1;
    let at = this.#copy(bytes, from[AT.method], to[AT.method], 0);
    this.#line[at++] = SPACE;
    at = this.#copy(bytes, from[target], to[target], at);
    if (target === AT.target || !this.request.has("query")) return at;
    if (bytes[from[AT.query]] !== QUESTION) this.#line[at++] = QUESTION;
    return this.#copy(bytes, from[AT.query], to[AT.query], at);
  }

  /** Copies a field to the line at `at`, its escapes made those of a quoted field; gives its end. */
  #copy(bytes: Uint8Array, from: number, to: number, at: number): number {
    let isPlain = true;
    const line = this.#line;
    for (let i = from; i < to; i++) {
      const byte = bytes[i];
      line[at + i - from] = byte;
      if (byte === BACKSLASH || byte === QUOTE) isPlain = false;
    }
    if (isPlain) return at + to - from;
    if (this.#format.escapes === "log") return at + to - from;
    if (this.#format.escapes === "none") return escapeField(bytes, from, to, line, at);
    const length = unescapeJson(bytes, from, to, this.#plain);
    return escapeField(this.#plain, 0, length, line, at);
  }

  #cutPort(bytes: Uint8Array): void {
    const { from, to } = this.request.spans;
    const colon = bytes.subarray(0, to[AT.client]).lastIndexOf(COLON);
    if (colon > from[AT.client]) to[AT.client] = colon;
  }

  #readDuration(bytes: Uint8Array): void {
    const { from, to } = this.request.spans;
    let sum = -1;
    for (let field = AT.duration; field <= AT.duration3; field++) {
      if (from[field] < 0) break;
      const part = decimal(bytes, from[field], to[field], this.#format.durationUnit);
      if (part < 0) return void (this.request.durationMs = -1);
      sum = Math.max(0, sum) + part;
    }
    this.request.durationMs = sum;
  }
}

/** A status of three digits; 0 for `-`, which some write for none; -1 when it is neither. */
function status(bytes: Uint8Array, from: number, to: number): number {
  if (to - from === 1 && bytes[from] === DASH) return 0;
  const value = to - from === 3 ? decimal(bytes, from, to, 1) : -1;
  return Number.isInteger(value) ? value : -1;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (bytes[i] !== SPACE && bytes[i] !== 0x09 && bytes[i] !== CR && bytes[i] !== LF) return false;
  }
  return true;
}
