import type { HttpResponse, ResponseNeeds } from "../sender.ts";
import { ByteSink } from "./byte_sink.ts";
import { ExchangeError } from "./exchange_error.ts";
import type { Framing, KnownHead, KnownHeads } from "./known_head.ts";
import type { Limits } from "./response_limits.ts";
import type { ReadBuffer } from "./read_buffers.ts";
import { refused } from "./refused.ts";
import { ResponseHead } from "./response_head.ts";

const TAB = 9, LF = 10, CR = 13, SPACE = 32, ZERO = 48, SEMICOLON = 59;

/** Of four bytes at once: a bit that a printable character has itself, or when moved by one. */
const PRINTABLE = 0x20202020;

/** What the next bytes are: lines up to TRAILER, then content. */
const STATUS = 0, HEADER = 1, CHUNK_SIZE = 2, CHUNK_END = 3, TRAILER = 4;
const SIZED = 5, CHUNK = 6, UNTIL_CLOSE = 7, DONE = 8;

/** Memory is set aside for a body up to this size on the mere word of its Content-Length. */
const TRUSTED_LENGTH = 1024 * 1024;

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
  readonly #heads: KnownHeads;
  readonly #head = new ResponseHead();
  #known!: KnownHead;
  readonly #line = new ByteSink();
  readonly #body = new ByteSink();
  #state = DONE;
  #reply!: HttpResponse;
  #wants!: ResponseNeeds;
  #isHead = false;
  #persists = false;
  #afterCr = false;
  #lineBytes = 0;
  #remaining = 0;

  /** `heads` are those that all parsers of a sender know. */
  constructor(limits: Limits, heads: KnownHeads) {
    this.#limits = limits;
    this.#heads = heads;
  }

  /** Expects the answer to a request of `method`; what it says goes into `reply`, which is empty. */
  begin(method: string, wants: ResponseNeeds, reply: HttpResponse): void {
    this.#reply = reply;
    if (wants !== this.#wants) this.#known = this.#heads.of(wants);
    this.#wants = wants;
    this.#isHead = method === "HEAD";
    this.done = false;
    this.started = false;
    this.reusable = false;
    this.#afterCr = false;
    this.#lineBytes = 0;
    this.#beginHead();
  }

  /**
   * Takes in the first `size` bytes of `buffer`, of which it keeps none but as copies. Throws
   * `ExchangeError` (`protocol`, `too_large`); the connection is then of no use.
   */
  push(buffer: ReadBuffer, size: number): void {
    const isFirst = !this.started;
    this.started = true;
    let at = isFirst ? this.#takeKnownHead(buffer, size) : 0;
    while (at < size) {
      const state = this.#state;
      if (state <= TRAILER) at = this.#takeLine(buffer, at, size);
      else if (state < DONE) at = this.#takeBody(buffer.bytes, at, size);
      else throw refused(`${size - at} bytes came after its end`);
      if (isFirst && state === HEADER && this.#state > HEADER) {
        this.#known.remember(buffer, at, this.#head, this.#reply);
      }
    }
  }

  /** The peer has closed. Throws `ExchangeError` (`closed`) unless that is how the answer ends. */
  end(): void {
    if (this.#state === UNTIL_CLOSE) this.#complete();
    if (this.done) return;
    const where = this.started ? "within" : "before";
    throw new ExchangeError("closed", `the server closed the connection ${where} the answer`);
  }

  #beginHead(): void {
    this.#state = STATUS;
    this.#head.begin();
  }

  /** Where the head ends, if it is the known one; else 0. */
  #takeKnownHead(buffer: ReadBuffer, size: number): number {
    const known = this.#known;
    if (!known.begins(buffer, size)) return 0;
    this.#countLine(known.size);
    known.tell(this.#reply);
    this.#beginContent(known);
    return known.size;
  }

  #takeLine({ bytes: chunk, view }: ReadBuffer, from: number, size: number): number {
    if (this.#afterCr && chunk[from] !== LF) {
      throw refused("a carriage return without its line feed");
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
        this.#head.parseStatus(line, from, to, this.#reply);
        this.#state = HEADER;
        return;
      case HEADER:
        if (from === to) return this.#endHead();
        return this.#head.parseHeader(line, from, to, this.#wants, this.#reply);
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

  #endHead(): void {
    const { status } = this.#reply;
    if (status < 200 && status !== 101) {
      this.#reply.headers.length = 0;
      return this.#beginHead();
    }
    this.#beginContent(this.#head);
  }

  #beginContent({ length, chunked, persists }: Framing): void {
    const { status } = this.#reply;
    this.#persists = persists;
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
      this.#keepBody(chunk, from, to);
    }
    if (this.#remaining === 0) {
      if (this.#state === CHUNK) this.#state = CHUNK_END;
      else this.#complete();
    }
    return to;
  }

  #keepBody(chunk: Uint8Array, from: number, to: number): void {
    if (this.#state === SIZED && this.#body.size === 0) {
      // Most bodies come in one piece.
      if (this.#remaining === 0) {
        this.#reply.body = chunk.slice(from, to);
        return;
      }
      this.#body.reserve(Math.min(to - from + this.#remaining, TRUSTED_LENGTH));
    }
    this.#body.append(chunk, from, to);
  }

  #complete(): void {
    if (this.#body.size > 0) this.#reply.body = this.#body.take();
    this.reusable = this.#state !== UNTIL_CLOSE && this.#reply.status !== 101 &&
      this.#persists;
    this.#state = DONE;
    this.done = true;
  }
}

/** The value of a hexadecimal digit, or -1. */
function hexDigit(c: number): number {
  if (c >= ZERO && c <= 57) return c - ZERO;
  const letter = (c | 32) - 87;
  return letter >= 10 && letter <= 15 ? letter : -1;
}
