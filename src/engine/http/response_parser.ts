import { safeSnippet } from "../../base/safe_text.ts";
import type { Reply, Wants } from "../sender.ts";
import { ByteSink } from "./byte_sink.ts";
import { ExchangeError } from "./exchange_error.ts";
import { fieldText, matches, pattern, TOKEN } from "./field_text.ts";
import type { Limits } from "./limits.ts";

const TAB = 9, LF = 10, CR = 13, SPACE = 32, COMMA = 44, ZERO = 48, COLON = 58, SEMICOLON = 59;

/** What the next bytes are: lines up to TRAILER, then content. */
const STATUS = 0, HEADER = 1, CHUNK_SIZE = 2, CHUNK_END = 3, TRAILER = 4;
const SIZED = 5, CHUNK = 6, UNTIL_CLOSE = 7, DONE = 8;

/** Memory is set aside for a body up to this size on the mere word of its Content-Length. */
const TRUSTED_LENGTH = 64 * 1024;

const HTTP_1 = pattern("http/1.");
const CONNECTION = pattern("connection");
const CONTENT_ENCODING = pattern("content-encoding");
const CONTENT_LENGTH = pattern("content-length");
const CONTENT_TYPE = pattern("content-type");
const LOCATION = pattern("location");
const SET_COOKIE = pattern("set-cookie");
const TRANSFER_ENCODING = pattern("transfer-encoding");
const CHUNKED = pattern("chunked");
const CLOSE = pattern("close");
const KEEP_ALIVE = pattern("keep-alive");

/**
 * Reads HTTP/1.x answers, pushed in pieces of any size, into replies (RFC 9112). One parser serves a
 * connection: `begin` for each request, `push` until `done`, `end` when the peer closes.
 *
 * Strict where two readers could differ about where an answer ends: a repeated Content-Length or
 * Transfer-Encoding, a coding other than chunked, bytes after the end, and control characters are
 * refused. Lenient where it does no harm: LF alone ends a line, a folded header is joined by a
 * space (unless it frames the body), and Transfer-Encoding overrules Content-Length, on a
 * connection that is then not used again. Trailers are read and dropped.
 */
export class ResponseParser {
  /** The whole answer has been read. */
  done = true;
  /** Any byte of it has. */
  started = false;
  /** It left the connection fit for another request. */
  reusable = false;

  readonly #limits: Limits;
  readonly #line = new ByteSink();
  readonly #body = new ByteSink();
  #state = DONE;
  #reply!: Reply;
  #wants!: Wants;
  #isHead = false;
  #afterCr = false;
  #lineBytes = 0;
  #minor = 0;
  #close = false;
  #keepAlive = false;
  #chunked = false;
  #length = -1;
  #remaining = 0;
  #foldable = false;
  #folding: [name: string, value: string] | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Expects the answer to a request of `method`; what it says goes into `reply`. */
  begin(method: string, wants: Wants, reply: Reply): void {
    this.#reply = reply;
    this.#wants = wants;
    this.#isHead = method === "HEAD";
    this.done =
      this.started =
      this.reusable =
      this.#afterCr =
        false;
    this.#lineBytes = 0;
    this.#beginHead();
  }

  /**
   * Takes in the first `size` bytes of `chunk`, of which it keeps none but as copies. Throws
   * `ExchangeError` (`protocol`, `too_large`); the connection is then of no use.
   */
  push(chunk: Uint8Array, size: number): void {
    this.started = true;
    for (let at = 0; at < size;) {
      if (this.#state <= TRAILER) at = this.#takeLine(chunk, at, size);
      else if (this.#state < DONE) at = this.#takeBody(chunk, at, size);
      else throw refused(`${size - at} bytes came after its end`);
    }
  }

  /** The peer has closed. Throws `ExchangeError` (`closed`) unless that is how the answer ends. */
  end(): void {
    if (this.#state === UNTIL_CLOSE) this.#complete();
    if (this.done) return;
    const where = !this.started
      ? "before"
      : this.#state <= HEADER
      ? "within the head of"
      : "within";
    throw new ExchangeError("closed", `the server closed the connection ${where} the answer`);
  }

  #beginHead(): void {
    this.#state = STATUS;
    this.#close =
      this.#keepAlive =
      this.#chunked =
      this.#foldable =
        false;
    this.#length = -1;
  }

  #takeLine(chunk: Uint8Array, from: number, size: number): number {
    let to = from;
    let c = chunk[to];
    if (this.#afterCr && c !== LF) throw refused("a carriage return without its line feed");
    while (c >= SPACE || c === TAB) c = ++to < size ? chunk[to] : 0;
    if (to === size) return this.#keepPart(chunk, from, to, to);
    let next = to + 1;
    if (c === CR && next === size) {
      this.#afterCr = true;
      return this.#keepPart(chunk, from, to, next);
    }
    if (c === CR) c = chunk[next++];
    if (c !== LF) throw refused("a control character in its head");
    this.#afterCr = false;
    this.#countLine(next - from);
    if (this.#line.size === 0) this.#parseLine(chunk, from, to);
    else {
      this.#line.append(chunk, from, to);
      const line = this.#line.take();
      this.#parseLine(line, 0, line.length);
    }
    return next;
  }

  #keepPart(chunk: Uint8Array, from: number, to: number, next: number): number {
    this.#countLine(next - from);
    this.#line.append(chunk, from, to);
    return next;
  }

  #countLine(bytes: number): void {
    this.#lineBytes += bytes;
    if (this.#lineBytes > this.#limits.headers) {
      const limit = this.#limits.headers;
      throw new ExchangeError("too_large", `the answer's headers are larger than ${limit} bytes`);
    }
  }

  #parseLine(line: Uint8Array, from: number, to: number): void {
    switch (this.#state) {
      case STATUS:
        return this.#parseStatus(line, from, to);
      case HEADER:
        return from === to ? this.#endHead() : this.#parseHeader(line, from, to);
      case CHUNK_SIZE:
        return this.#parseChunkSize(line, from, to);
      case CHUNK_END:
        if (from !== to) throw refused("a chunk is longer than its size");
        this.#state = CHUNK_SIZE;
        return;
      default:
        if (from === to) this.#complete();
    }
  }

  #parseStatus(line: Uint8Array, from: number, to: number): void {
    const at = from + HTTP_1.length;
    this.#minor = line[at] - ZERO;
    const status = number(line, at + 2, at + 5);
    const wellFormed = to >= at + 5 && matches(HTTP_1, line, from, at) &&
      (this.#minor === 0 || this.#minor === 1) && line[at + 1] === SPACE &&
      status >= 100 && (to === at + 5 || line[at + 5] === SPACE);
    if (!wellFormed) {
      const found = safeSnippet(fieldText(line, from, Math.min(to, from + 80)), 40);
      throw refused(`it begins with "${found}", no HTTP/1 status line`);
    }
    this.#reply.status = status;
    this.#state = HEADER;
  }

  #parseHeader(line: Uint8Array, from: number, to: number): void {
    if (line[from] === SPACE || line[from] === TAB) return this.#unfold(line, from, to);
    let colon = from;
    while (colon < to && TOKEN[line[colon]] === 1) colon++;
    if (colon === from || colon === to || line[colon] !== COLON) {
      const found = safeSnippet(fieldText(line, from, Math.min(to, from + 80)), 40);
      throw refused(`the header line "${found}" has no name that ends in a colon`);
    }
    let start = colon + 1;
    let end = to;
    while (start < end && (line[start] === SPACE || line[start] === TAB)) start++;
    while (end > start && (line[end - 1] === SPACE || line[end - 1] === TAB)) end--;
    this.#foldable = !this.#takeFraming(line, from, colon, start, end);
    this.#folding = undefined;
    if (this.#wants.headers || this.#isActedOn(line, from, colon)) {
      this.#folding = [
        fieldText(line, from, colon).toLowerCase(),
        fieldText(line, start, end),
      ];
      this.#reply.headers.push(this.#folding);
    }
  }

  #unfold(line: Uint8Array, from: number, to: number): void {
    if (!this.#foldable) throw refused("a folded line where none may be");
    if (this.#folding) this.#folding[1] += " " + fieldText(line, from, to).trim();
  }

  #isActedOn(line: Uint8Array, from: number, colon: number): boolean {
    switch (colon - from) {
      case LOCATION.length:
        return matches(LOCATION, line, from, colon);
      case SET_COOKIE.length:
        return matches(SET_COOKIE, line, from, colon);
      case CONTENT_TYPE.length:
        return this.#wants.body && matches(CONTENT_TYPE, line, from, colon);
      case CONTENT_ENCODING.length:
        return this.#wants.body && matches(CONTENT_ENCODING, line, from, colon);
      default:
        return false;
    }
  }

  /** Takes note of a header that tells where the body or the connection ends; whether it was one. */
  #takeFraming(
    line: Uint8Array,
    from: number,
    colon: number,
    start: number,
    end: number,
  ): boolean {
    switch (colon - from) {
      case CONNECTION.length:
        if (!matches(CONNECTION, line, from, colon)) return false;
        this.#takeConnection(line, start, end);
        return true;
      case CONTENT_LENGTH.length:
        if (!matches(CONTENT_LENGTH, line, from, colon)) return false;
        if (this.#length >= 0) throw refused("it has more than one Content-Length");
        this.#length = number(line, start, end);
        if (this.#length < 0) throw refused("its Content-Length is not a number");
        return true;
      case TRANSFER_ENCODING.length:
        if (!matches(TRANSFER_ENCODING, line, from, colon)) return false;
        if (this.#chunked) throw refused("it has more than one Transfer-Encoding");
        if (!matches(CHUNKED, line, start, end)) {
          throw refused("its Transfer-Encoding is not chunked");
        }
        return this.#chunked = true;
      default:
        return false;
    }
  }

  #takeConnection(line: Uint8Array, start: number, end: number): void {
    for (let from = start; from < end;) {
      let to = from;
      while (to < end && line[to] !== COMMA) to++;
      let last = to;
      while (from < last && line[from] === SPACE) from++;
      while (from < last && line[last - 1] === SPACE) last--;
      if (matches(CLOSE, line, from, last)) this.#close = true;
      else if (matches(KEEP_ALIVE, line, from, last)) this.#keepAlive = true;
      from = to + 1;
    }
  }

  #endHead(): void {
    const { status } = this.#reply;
    if (status < 200 && status !== 101) {
      this.#reply.headers.length = 0;
      return this.#beginHead();
    }
    if (this.#isHead || status === 204 || status === 304 || status === 101) return this.#complete();
    if (this.#chunked) {
      this.#beginLines(CHUNK_SIZE);
    } else if (this.#length < 0) {
      this.#state = UNTIL_CLOSE;
      this.#remaining = Infinity;
    } else if (this.#length === 0) {
      this.#complete();
    } else {
      this.#state = SIZED;
      this.#remaining = this.#length;
      this.#checkBody(this.#length);
      if (this.#wants.body) this.#body.reserve(Math.min(this.#length, TRUSTED_LENGTH));
    }
  }

  #beginLines(state: number): void {
    this.#state = state;
    this.#lineBytes = 0;
  }

  #parseChunkSize(line: Uint8Array, from: number, to: number): void {
    let size = 0;
    let at = from;
    for (let digit; at < to && (digit = hexDigit(line[at])) >= 0; at++) size = size * 16 + digit;
    const digits = at - from;
    while (at < to && (line[at] === SPACE || line[at] === TAB)) at++;
    if (digits === 0 || (at < to && line[at] !== SEMICOLON) || size > Number.MAX_SAFE_INTEGER) {
      throw refused("a chunk's size is not a hexadecimal number");
    }
    if (size === 0) return this.#beginLines(TRAILER);
    this.#beginLines(CHUNK);
    this.#remaining = size;
    this.#checkBody(this.#reply.bodySize + size);
  }

  #checkBody(size: number): void {
    if (this.#wants.body && size > this.#limits.body) {
      const limit = this.#limits.body;
      throw new ExchangeError("too_large", `the answer's body is larger than ${limit} bytes`);
    }
  }

  #takeBody(chunk: Uint8Array, from: number, size: number): number {
    const to = Math.min(size, from + this.#remaining);
    this.#reply.bodySize += to - from;
    this.#remaining -= to - from;
    if (this.#wants.body) {
      this.#checkBody(this.#reply.bodySize);
      this.#body.append(chunk, from, to);
    }
    if (this.#remaining === 0) {
      if (this.#state === CHUNK) this.#state = CHUNK_END;
      else this.#complete();
    }
    return to;
  }

  #complete(): void {
    if (this.#body.size > 0) this.#reply.body = this.#body.take();
    const endIsSure = this.#state !== UNTIL_CLOSE && this.#reply.status !== 101 &&
      !(this.#chunked && (this.#length >= 0 || this.#minor === 0));
    this.reusable = endIsSure && !this.#close && (this.#minor === 1 || this.#keepAlive);
    this.#state = DONE;
    this.done = true;
  }
}

/** A number in digits and nothing else, or -1. */
function number(line: Uint8Array, from: number, to: number): number {
  let value = from < to ? 0 : -1;
  for (let at = from; at < to; at++) {
    const digit = line[at] - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : -1;
}

/** The value of a hexadecimal digit, or -1. */
function hexDigit(c: number): number {
  if (c >= ZERO && c <= 57) return c - ZERO;
  const letter = (c | 32) - 87;
  return letter >= 10 && letter <= 15 ? letter : -1;
}

function refused(why: string): ExchangeError {
  return new ExchangeError("protocol", `the answer is not valid HTTP/1: ${why}`);
}
