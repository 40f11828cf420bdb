import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import type { HttpResponse, Origin, Outgoing, ResponseNeeds } from "../sender.ts";
import { ByteSink } from "./byte_sink.ts";
import type { Connection } from "./connection.ts";
import { checkSendable } from "./encode_request.ts";
import { ExchangeError } from "./exchange_error.ts";
import type { NetworkOptions } from "./network_options.ts";

/** Headers that HTTP/2 has no place for (RFC 9113, 8.2.2), or that are written here. */
const NOT_SENT: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);
const ACTED_ON: ReadonlySet<string> = new Set(["location", "set-cookie"]);
const ACTED_ON_WITH_BODY: ReadonlySet<string> = new Set(["content-encoding", "content-type"]);

/**
 * HTTP/2 over one socket, many requests at a time, by `node:http2`. It must be a socket of Node's:
 * over any other stream, the library of Deno 2.9.6 crashes when the server ends the connection.
 */
export class Http2Connection implements Connection {
  readonly shared: boolean;
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #options: NetworkOptions;
  /** What aborts each exchange in progress. */
  readonly #exchanges = new Map<HttpResponse, () => void>();
  #retired = false;
  #goingAway = false;
  #fault: unknown;
  /** Bytes that belong to exchanges that have ended. */
  #counted: { read: number; written: number };

  constructor(socket: Socket, origin: Origin, options: NetworkOptions) {
    this.shared = options.keepAlive;
    this.#socket = socket;
    this.#options = options;
    this.#counted = { read: socket.bytesRead, written: socket.bytesWritten };
    this.#session = connect(`http${origin.secure ? "s" : ""}://${origin.authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    this.#session.on("error", (error) => this.#fault = error);
    this.#session.on("goaway", () => this.#goingAway = true);
  }

  get usable(): boolean {
    return this.#options.keepAlive && this.isAlive();
  }

  isAlive(): boolean {
    return !this.#goingAway && !this.#session.closed && !this.#session.destroyed;
  }

  async exchange(request: Outgoing, reply: HttpResponse, from: number): Promise<void> {
    checkSendable(request);
    try {
      const { body } = request;
      const stream = this.#session.request(toHttp2Headers(request), {
        endStream: body === undefined,
      });
      if (body !== undefined) stream.end(body);
      reply.sendingMs = performance.now() - from;
      await this.#read(stream, request, reply, from + reply.sendingMs);
    } catch (error) {
      throw http2Fault(this.#fault ?? error);
    } finally {
      this.#countBytes(reply);
      this.#exchanges.delete(reply);
      if (this.#retired) this.retire();
    }
  }

  /**
   * Closes the connection if no other exchange uses it: it may lead nowhere, and the next request
   * would time out too.
   */
  abort(reply: HttpResponse): void {
    const abort = this.#exchanges.get(reply);
    if (abort === undefined) return;
    abort();
    if (this.#exchanges.size === 1) this.close();
  }

  retire(): void {
    this.#retired = true;
    if (this.#exchanges.size === 0) this.close();
  }

  close(): void {
    this.#session.destroy();
  }

  /**
   * Each byte of the connection counts for one exchange: the one that ends next. Nothing was received
   * for a request that the end of the connection left without a response.
   */
  #countBytes(reply: HttpResponse): void {
    const { bytesRead: read, bytesWritten: written } = this.#socket;
    reply.bytesSent = written - this.#counted.written;
    this.#counted.written = written;
    if (reply.status === 0 && !this.isAlive()) return;
    reply.bytesReceived = read - this.#counted.read;
    this.#counted.read = read;
  }

  #read(
    stream: ClientHttp2Stream,
    { method, needs }: Outgoing,
    reply: HttpResponse,
    sentAt: number,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { limits } = this.#options;
    const limit = needs.body ? limits.body : Infinity;
    const body = new ByteSink();
    let firstAt = 0;
    let ended = false;
    let length: string | undefined;
    const refuse = (error: unknown) => {
      reject(error);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    this.#exchanges.set(reply, () => refuse(new Error("it was aborted")));
    stream.on("response", (_headers, _flags, ...[raw]: string[][]) => {
      firstAt = performance.now();
      if (headerBlockSize(raw) > limits.headers) {
        const message = `the response headers are larger than ${limits.headers} bytes`;
        return refuse(new ExchangeError("too_large", message));
      }
      length = takeHeaders(raw, needs, reply);
    });
    stream.on("data", (chunk: Uint8Array) => {
      reply.bodySize += chunk.length;
      if (needs.body) body.append(chunk, 0, chunk.length);
      if (reply.bodySize > limit) {
        refuse(new ExchangeError("too_large", `the response body is larger than ${limit} bytes`));
      }
    });
    stream.on("end", () => ended = true);
    stream.on("error", reject);
    stream.on("close", () => {
      if (!ended || reply.status === 0) return reject(this.#fault ?? new Error("it was closed"));
      const fault = lengthFault(method, reply, length);
      if (fault) return reject(fault);
      reply.body = body.take();
      reply.waitingMs = firstAt - sentAt;
      reply.receivingMs = performance.now() - firstAt;
      resolve();
    });
    return promise;
  }
}

function toHttp2Headers({ method, origin, target, headers, body }: Outgoing): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = Object.create(null);
  sent[":method"] = method;
  sent[":scheme"] = origin.secure ? "https" : "http";
  sent[":authority"] = origin.authority;
  sent[":path"] = target;
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === "host") sent[":authority"] = value;
    if (NOT_SENT.has(lower)) continue;
    const before = sent[lower];
    sent[lower] = before === undefined ? value : [before as string | string[], value].flat();
  }
  if (body !== undefined) sent["content-length"] = String(body.length);
  return sent;
}

/** Takes what is wanted of the names and values in turn; returns the content-length, if there is one. */
function takeHeaders(
  raw: readonly string[],
  wants: ResponseNeeds,
  reply: HttpResponse,
): string | undefined {
  let length: string | undefined;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i];
    if (name === "content-length") length = raw[i + 1];
    if (name === ":status") reply.status = Number(raw[i + 1]);
    else if (
      wants.headers || ACTED_ON.has(name) || (wants.body && ACTED_ON_WITH_BODY.has(name))
    ) reply.headers.push([name, raw[i + 1]]);
  }
  return length;
}

/** Size of a header list in bytes, without the overhead per field of RFC 9113, 6.5.2. */
function headerBlockSize(raw: readonly string[]): number {
  let size = 0;
  for (let i = 0; i < raw.length; i++) size += raw[i].length;
  return size;
}

/** The fault of a response whose content-length is not the size of its body (RFC 9113, 8.1.1). */
function lengthFault(
  method: string,
  { status, bodySize }: HttpResponse,
  length: string | undefined,
): ExchangeError | undefined {
  const isEmpty = method === "HEAD" || status === 204 || status === 304;
  if (isEmpty ? bodySize === 0 : length === undefined || isWhole(length, bodySize)) {
    return undefined;
  }
  const expected = isEmpty ? "a response without a body" : `content-length: ${length}`;
  return new ExchangeError(
    "protocol",
    `the response is not valid HTTP/2: ${expected}, but a body of ${bodySize} bytes`,
  );
}

function isWhole(length: string, bodySize: number): boolean {
  return /^\d+$/.test(length) && Number(length) === bodySize;
}

function http2Fault(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const cause = { cause: error };
  if (code === "ERR_HTTP2_STREAM_ERROR") {
    return new ExchangeError("reset", `the server ended it: ${(error as Error).message}`, cause);
  }
  if (typeof code === "string" && code.startsWith("ERR_HTTP2_")) {
    const message = `HTTP/2 failed: ${(error as Error).message}`;
    return new ExchangeError("protocol", message, cause);
  }
  return error;
}
