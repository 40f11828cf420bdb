import { ByteSink } from "../base/bytes/byte_source.ts";
import { safeSnippet } from "../base/safe_text.ts";
import { HpackDecoder } from "./hpack.ts";
import { type Block, CODE, Http2Error } from "./http2_frames.ts";
import type { Framing, KnownHead, KnownHeads } from "./connection.ts";
import type { Limits } from "./network_options.ts";
import {
  type HttpResponse,
  MAX_EXCERPT,
  type Outgoing,
  type ResponseNeeds,
  takeSampleTurn,
} from "./sender.ts";

const ACTED_ON: ReadonlySet<string> = new Set(["location", "set-cookie"]);
/** Response headers that the client needs to decode a body. */
const ACTED_ON_WITH_BODY: ReadonlySet<string> = new Set(["content-encoding", "content-type"]);
/** Headers of an HTTP/1 connection, which make a response invalid (RFC 9113, section 8.2.2). */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"],
]);
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const BREAKS = /[\0\r\n]/;
/** Maximum number of bytes reserved for a body based on its content-length alone. */
const TRUSTED_LENGTH = 1024 * 1024;

const decoder = new HpackDecoder();

/** An exchange, and after it the next one, of an HTTP/2 connection. bench: scripts/bench/http.ts */
export class Http2Stream {
  id = 0;
  request!: Outgoing;
  response!: HttpResponse;
  resolve!: () => void;
  reject!: (error: unknown) => void;
  /** Number of bytes of the body sent, and the number that the server still accepts. */
  sent = 0;
  window = 0;
  /** Offset of the end of the request in the output of the connection. Infinity while unknown. */
  end: number = Infinity;
  /** `performance.now()` times at which sending begins and ends. */
  from = 0;
  sentAt = 0;
  /** Number of received bytes that no window update has covered. */
  unacknowledged = 0;
  hasBegun = false;
  readonly #limits: Limits;
  readonly #heads: KnownHeads;
  readonly #body = new ByteSink();
  #needs: ResponseNeeds | undefined;
  #known!: KnownHead;
  #keepsAll = false;
  #keepsExcerpt = false;
  #firstAt = 0;
  /** Size of the header blocks, after decoding. */
  #headSize = 0;
  #length = -1;

  constructor(limits: Limits, heads: KnownHeads) {
    this.#limits = limits;
    this.#heads = heads;
  }

  begin(request: Outgoing, response: HttpResponse, from: number): void {
    const { needs } = request;
    this.request = request;
    this.response = response;
    this.from = this.sentAt = from;
    this.sent = this.unacknowledged = 0;
    this.#headSize = this.#firstAt = 0;
    this.hasBegun = false;
    this.#length = -1;
    if (needs !== this.#needs) this.#known = this.#heads.get(needs);
    this.#needs = needs;
    this.#keepsAll = takeSampleTurn(needs);
  }

  get isSent(): boolean {
    const { body } = this.request;
    return body === undefined || this.sent === body.length;
  }

  /** Takes a header block that arrived at `now`. `ends` is true if it ends the stream. */
  takeBlock(block: Block, ends: boolean, now: number): void {
    const { response } = this;
    if (!this.hasBegun) {
      this.hasBegun = true;
      this.#firstAt = now;
    }
    if (response.status !== 0) return this.#takeTrailers(block, ends);
    const known = this.#known;
    const size = block.to - block.from;
    if (size === known.size && !this.#keepsAll && known.matches(block.view, block.from)) {
      known.applyTo(response);
      return this.#beginBody(known.length);
    }
    const { status, length, headers } = this.#parseHead(block);
    if (status < 200) {
      if (ends) throw new Http2Error("an interim response ends the stream");
      return;
    }
    response.status = status;
    if (headers.length > 0) response.headers = headers;
    if (!this.#keepsAll) {
      const framing: Framing = { length, chunked: false, persists: true };
      known.remember(block.bytes, block.from, block.to, framing, response);
    }
    this.#beginBody(length);
  }

  /** Takes bytes of the body. Returns true if no more bytes are needed. */
  takeData(bytes: Uint8Array, from: number, to: number, ends: boolean): boolean {
    const { response, request: { needs, stream } } = this;
    if (response.status === 0) throw new Http2Error("its body precedes its headers");
    response.bodySize += to - from;
    if (needs.body) {
      if (response.bodySize > this.#limits.body) {
        const message = `the response body is larger than ${this.#limits.body} bytes`;
        throw new Http2Error(message, CODE.CANCEL, "too_large");
      }
      if (ends && this.#body.size === 0) response.body = bytes.slice(from, to);
      else {
        if (this.#body.size === 0) this.#body.reserve(Math.min(this.#length, TRUSTED_LENGTH));
        this.#body.append(bytes, from, to);
      }
    } else if (this.#keepsExcerpt && this.#body.size < MAX_EXCERPT) {
      this.#body.append(bytes, from, Math.min(to, from + MAX_EXCERPT - this.#body.size));
    }
    return stream !== undefined && to > from && stream.push(bytes.subarray(from, to), response);
  }

  /** Completes the response at `now`. `isCut` is true if the rest of the body is not needed. */
  complete(now: number, isCut: boolean): void {
    const { response, request: { method, needs }, sentAt } = this;
    const { status, bodySize } = response;
    if (status === 0) throw new Http2Error("the stream ends without headers");
    const isEmpty = method === "HEAD" || status === 204 || status === 304;
    if (isEmpty ? bodySize > 0 : !isCut && this.#length >= 0 && this.#length !== bodySize) {
      const expected = isEmpty
        ? "it must not have a body"
        : `its content-length is ${this.#length}`;
      throw new Http2Error(`${expected}, but its body has ${bodySize} bytes`);
    }
    if (this.#body.size > 0) {
      if (needs.body) response.body = this.#body.take();
      else this.#takeExcerpt();
    }
    // If the response starts before the whole request has been sent, the waiting time is 0.
    const receivingAt = Math.max(this.#firstAt, sentAt);
    response.sendingMs = sentAt - this.from;
    response.waitingMs = receivingAt - sentAt;
    response.receivingMs = Math.max(now, receivingAt) - receivingAt;
  }

  /** Fails the exchange. The first bytes of the body remain as the excerpt, if any are kept. */
  fail(error: unknown): void {
    this.#takeExcerpt();
    this.reject(error);
  }

  #takeExcerpt(): void {
    if (this.#body.size > 0) this.response.excerpt = this.#body.take().slice(0, MAX_EXCERPT);
  }

  #beginBody(length: number): void {
    this.#length = length;
    this.#keepsExcerpt = this.#keepsAll || this.response.status >= 400;
  }

  #parseHead(
    { bytes, from, to }: Block,
  ): { status: number; length: number; headers: HttpResponse["headers"] } {
    const { needs } = this.request;
    const headers: HttpResponse["headers"] = [];
    let status = 0;
    let isRegular = false;
    let length = -1;
    decoder.decode(bytes, from, to, (name, value) => {
      this.#countField(name, value);
      if (name.startsWith(":")) {
        if (name !== ":status" || isRegular || status !== 0) {
          throw new Http2Error(`its head contains "${safeSnippet(name)}" in the wrong place`);
        }
        status = /^[1-9]\d\d$/.test(value) ? Number(value) : -1;
        return;
      }
      isRegular = true;
      checkField(name, value);
      if (name === "content-length") length = parseLength(value, length);
      if (
        needs.headers || this.#keepsAll || status >= 400 || ACTED_ON.has(name) ||
        (needs.body && ACTED_ON_WITH_BODY.has(name))
      ) headers.push([name, value]);
    });
    // HTTP/2 has no upgrade (RFC 9113, section 8.6).
    if (status <= 0 || status === 101) throw new Http2Error("its head contains no valid status");
    return { status, length, headers };
  }

  #takeTrailers({ bytes, from, to }: Block, ends: boolean): void {
    if (!ends) throw new Http2Error("a second head follows the first one");
    this.#headSize = 0;
    decoder.decode(bytes, from, to, (name, value) => {
      this.#countField(name, value);
      checkField(name, value);
    });
  }

  #countField(name: string, value: string): void {
    this.#headSize += name.length + value.length;
    const limit = this.#limits.headers;
    if (this.#headSize > limit) {
      const message = `the response headers are larger than ${limit} bytes`;
      throw new Http2Error(message, CODE.CANCEL, "too_large");
    }
  }
}

function checkField(name: string, value: string): void {
  if (!NAME.test(name) || CONNECTION_HEADERS.has(name) || BREAKS.test(value)) {
    throw new Http2Error("a header has a name or a value that HTTP/2 forbids");
  }
}

function parseLength(value: string, before: number): number {
  let length = before;
  for (const item of value.split(",")) {
    const text = item.trim();
    const next = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!Number.isSafeInteger(next) || (length >= 0 && next !== length)) {
      throw new Http2Error("its content-length is not a number, or not the only one");
    }
    length = next;
  }
  return length;
}
