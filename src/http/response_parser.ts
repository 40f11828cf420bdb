import { ByteSink } from "../base/bytes/byte_source.ts";
import type { Framing, KnownHead, KnownHeads, ReadBuffer } from "./connection.ts";
import { ExchangeError, invalidResponse } from "./exchange_error.ts";
import type { Limits } from "./network_options.ts";
import { ResponseHead } from "./response_head.ts";
import {
  type BodyStream,
  type HttpResponse,
  MAX_EXCERPT,
  type ResponseNeeds,
  takeSampleTurn,
} from "./sender.ts";

const TAB = 9, LF = 10, CR = 13, SPACE = 32, ZERO = 48, SEMICOLON = 59;

/** Selects bit 5 of four bytes. Printable characters have bit 5 or 6, which are combined before. */
const PRINTABLE = 0x20202020;

/** Up to TRAILER, the parser expects a line next. In the other states, it expects content. */
const STATUS = 0, HEADER = 1, CHUNK_SIZE = 2, CHUNK_END = 3, TRAILER = 4;
const SIZED = 5, CHUNK = 6, UNTIL_CLOSE = 7, DONE = 8;

/** Maximum number of bytes reserved for a body based on its Content-Length alone. */
const TRUSTED_LENGTH = 1024 * 1024;

/**
 * Parses HTTP/1.x responses (RFC 9112) that arrive in pieces of any size. One parser serves one
 * connection: call `begin` for each request, `push` until `done`, and `end` when the peer closes.
 *
 * The parser is strict where two parsers could disagree about the end of a response. It rejects a
 * second, different Content-Length, a repeated Transfer-Encoding, a coding other than chunked,
 * bytes after the end, and control characters.
 *
 * It is lenient where that is harmless. A lone LF ends a line, and a folded header is joined with a
 * space unless it delimits the body. Transfer-Encoding overrides Content-Length, but the connection
 * is then not reused. Trailers are dropped.
 */
export class ResponseParser {
  done = true;
  started = false;
  reusable = false;

  readonly #limits: Limits;
  readonly #heads: KnownHeads;
  readonly #head = new ResponseHead();
  #known!: KnownHead;
  readonly #line = new ByteSink();
  readonly #body = new ByteSink();
  #state = DONE;
  #response!: HttpResponse;
  #needs!: ResponseNeeds;
  #stream: BodyStream | undefined;
  #isHead = false;
  #persists = false;
  #afterCr = false;
  #lineBytes = 0;
  #remaining = 0;
  #keepsExcerpt = false;

  /** Creates a parser. `heads` caches response heads and is shared by all parsers of a sender. */
  constructor(limits: Limits, heads: KnownHeads) {
    this.#limits = limits;
    this.#heads = heads;
  }

  /** Prepares the parser for the response to a request, which fills in the empty `response`. */
  begin(
    method: string,
    needs: ResponseNeeds,
    response: HttpResponse,
    stream?: BodyStream,
  ): void {
    this.#response = response;
    this.#stream = stream;
    if (needs !== this.#needs) this.#known = this.#heads.get(needs);
    this.#needs = needs;
    this.#head.keepsAll = takeSampleTurn(needs);
    this.#isHead = method === "HEAD";
    this.done = false;
    this.started = false;
    this.reusable = false;
    this.#afterCr = false;
    this.#lineBytes = 0;
    this.#beginHead();
  }

  /**
   * Parses the first `size` bytes of `buffer`, and copies what it keeps. Throws `ExchangeError`
   * (`protocol` or `too_large`). Returns the number of bytes that belong to the response.
   */
  push(buffer: ReadBuffer, size: number): number {
    const isFirst = !this.started;
    this.started = true;
    let at = isFirst ? this.#takeKnownHead(buffer, size) : 0;
    while (at < size) {
      const state = this.#state;
      if (state <= TRAILER) at = this.#takeLine(buffer, at, size);
      else if (state < DONE) at = this.#takeBody(buffer.bytes, at, size);
      // RFC 9112, section 6.3: a client may discard such bytes.
      else if (!this.#persists || this.#response.status === 101) return at;
      else throw invalidResponse(`${size - at} bytes follow its end`);
      if (isFirst && state === HEADER && this.#state > HEADER && !this.#head.keepsAll) {
        this.#known.remember(buffer.bytes, 0, at, this.#head, this.#response);
      }
    }
    return at;
  }

  /** Handles the end of the connection. Throws `ExchangeError` if the response is not complete. */
  end(): void {
    if (this.#state === UNTIL_CLOSE) this.#complete();
    if (this.done) return;
    const hasBegun = this.#state !== STATUS || this.#line.size > 0;
    const when = hasBegun ? "before the end of the" : "without a";
    throw new ExchangeError("closed", `the server closed the connection ${when} response`);
  }

  /** Copies the first bytes of an incomplete body to `excerpt`. */
  takePartial(): void {
    if (this.done || this.#body.size === 0) return;
    this.#response.excerpt = this.#body.take().slice(0, MAX_EXCERPT);
  }

  #beginHead(): void {
    this.#state = STATUS;
    this.#head.begin();
  }

  /** Returns the size in bytes of the cached head if the response starts with it, otherwise 0. */
  #takeKnownHead(buffer: ReadBuffer, size: number): number {
    const known = this.#known;
    if (this.#head.keepsAll || size < known.size || !known.matches(buffer.view, 0)) return 0;
    this.#countLine(known.size);
    known.applyTo(this.#response);
    this.#beginContent(known);
    return known.size;
  }

  #takeLine({ bytes: chunk, view }: ReadBuffer, from: number, size: number): number {
    if (this.#afterCr && chunk[from] !== LF) {
      throw invalidResponse("a carriage return is not followed by a line feed");
    }
    let to = from | 0;
    for (const last = size - 8; to <= last; to += 8) {
      const a = view.getInt32(to, true);
      const b = view.getInt32(to + 4, true);
      if (((a | a >>> 1) & (b | b >>> 1) & PRINTABLE) !== PRINTABLE) break;
    }
    let c = to < size ? chunk[to] : 0;
    while (c >= SPACE || c === TAB) c = ++to < size ? chunk[to] : 0;
    if (to === size) return this.#keepPart(chunk, from, to, to);
    let next = to + 1;
    if (c === CR && next === size) {
      this.#afterCr = true;
      return this.#keepPart(chunk, from, to, next);
    }
    if (c === CR) c = chunk[next++];
    if (c !== LF) throw invalidResponse("its head contains a control character");
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
      throw new ExchangeError("too_large", `the response headers are larger than ${limit} bytes`);
    }
  }

  #parseLine(line: Uint8Array, from: number, to: number): void {
    switch (this.#state) {
      case STATUS:
        this.#head.parseStatus(line, from, to, this.#response);
        this.#state = HEADER;
        return;
      case HEADER:
        if (from === to) return this.#endHead();
        return this.#head.parseHeader(line, from, to, this.#needs, this.#response);
      case CHUNK_SIZE:
        return this.#parseChunkSize(line, from, to);
      case CHUNK_END:
        if (from !== to) throw invalidResponse("a chunk is longer than its declared size");
        this.#state = CHUNK_SIZE;
        return;
      default:
        if (from === to) this.#complete();
    }
  }

  #endHead(): void {
    const { status } = this.#response;
    if (status < 200 && status !== 101) {
      this.#response.status = this.#response.headers.length = 0;
      return this.#beginHead();
    }
    this.#beginContent(this.#head);
  }

  #beginContent({ length, chunked, persists }: Framing): void {
    const { status } = this.#response;
    this.#persists = persists;
    this.#keepsExcerpt = this.#head.keepsAll || status >= 400;
    if (this.#isHead || status === 204 || status === 304 || status === 101) return this.#complete();
    if (chunked) {
      this.#beginLines(CHUNK_SIZE);
    } else if (length < 0) {
      this.#state = UNTIL_CLOSE;
      this.#remaining = Infinity;
    } else if (length === 0) {
      this.#complete();
    } else {
      this.#state = SIZED;
      this.#remaining = length;
      this.#checkBody(length);
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
      throw invalidResponse("a chunk size is not a hexadecimal number");
    }
    if (size === 0) return this.#beginLines(TRAILER);
    this.#beginLines(CHUNK);
    this.#remaining = size;
    this.#checkBody(this.#response.bodySize + size);
  }

  #checkBody(size: number): void {
    if (this.#needs.body && size > this.#limits.body) {
      const limit = this.#limits.body;
      throw new ExchangeError("too_large", `the response body is larger than ${limit} bytes`);
    }
  }

  #takeBody(chunk: Uint8Array, from: number, size: number): number {
    const to = Math.min(size, from + this.#remaining);
    this.#response.bodySize += to - from;
    this.#remaining -= to - from;
    if (this.#needs.body) {
      this.#checkBody(this.#response.bodySize);
      this.#keepBody(chunk, from, to);
    } else if (this.#keepsExcerpt && this.#body.size < MAX_EXCERPT) {
      this.#body.append(chunk, from, Math.min(to, from + MAX_EXCERPT - this.#body.size));
    }
    if (this.#stream?.push(chunk.subarray(from, to), this.#response)) {
      this.#state = UNTIL_CLOSE;
      this.#complete();
      return size;
    }
    if (this.#remaining === 0) {
      if (this.#state === CHUNK) this.#state = CHUNK_END;
      else this.#complete();
    }
    return to;
  }

  #keepBody(chunk: Uint8Array, from: number, to: number): void {
    if (this.#state === SIZED && this.#body.size === 0) {
      if (this.#remaining === 0) {
        this.#response.body = chunk.slice(from, to);
        return;
      }
      this.#body.reserve(Math.min(to - from + this.#remaining, TRUSTED_LENGTH));
    }
    this.#body.append(chunk, from, to);
  }

  #complete(): void {
    if (this.#body.size > 0) this.#takeKept();
    this.reusable = this.#state !== UNTIL_CLOSE && this.#response.status !== 101 &&
      this.#persists;
    this.#state = DONE;
    this.done = true;
  }

  #takeKept(): void {
    if (this.#needs.body) this.#response.body = this.#body.take();
    else this.#response.excerpt = this.#body.take();
  }
}

function hexDigit(c: number): number {
  if (c >= ZERO && c <= 57) return c - ZERO;
  const letter = (c | 32) - 87;
  return letter >= 10 && letter <= 15 ? letter : -1;
}
