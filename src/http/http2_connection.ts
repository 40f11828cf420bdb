import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import {
  type HttpResponse,
  MAX_EXCERPT,
  type Origin,
  type Outgoing,
  type ResponseNeeds,
  takeSampleTurn,
} from "./sender.ts";
import { ByteSink } from "../base/bytes/byte_sink.ts";
import type { Connection } from "./connection.ts";
import { checkSendable } from "./encode_request.ts";
import { ExchangeError } from "./exchange_error.ts";
import type { NetworkOptions } from "./network_options.ts";

/**
 * Request headers that are not sent as given, because HTTP/2 forbids them (RFC 9113, 8.2.2) or
 * because this module writes them itself.
 */
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
/** Response headers that the client itself always needs, even if the plan does not use them. */
const ACTED_ON: ReadonlySet<string> = new Set(["location", "set-cookie"]);
/** Response headers that the client needs to decode a body. */
const ACTED_ON_WITH_BODY: ReadonlySet<string> = new Set(["content-encoding", "content-type"]);

/**
 * HTTP/2 connection that runs many requests at the same time over one socket, using `node:http2`.
 * The socket must be a Node socket: with any other stream, Deno 2.9.6 crashes when the server ends
 * the connection.
 */
export class Http2Connection implements Connection {
  readonly shared: boolean;
  readonly idleSince: number = Infinity;
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #options: NetworkOptions;
  /** Functions that abort the exchanges in progress, by response. */
  readonly #exchanges = new Map<HttpResponse, () => void>();
  #retired = false;
  /** ID of the last stream that the server processes. Finite once it has sent GOAWAY. */
  #lastStream = Infinity;
  #fault: unknown;
  /**
   * Number of bytes read from the socket, and written to it, that have already been attributed to
   * completed exchanges.
   */
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
    this.#session.on("goaway", (_code, lastStream) => this.#lastStream = lastStream);
  }

  get usable(): boolean {
    return this.#options.keepAlive && this.#isAlive;
  }

  get #isAlive(): boolean {
    return this.#lastStream === Infinity && !this.#session.closed && !this.#session.destroyed;
  }

  async exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void> {
    checkSendable(request);
    let stream: ClientHttp2Stream | undefined;
    try {
      const { body } = request;
      stream = this.#session.request(toHttp2Headers(request), {
        endStream: body === undefined,
      });
      if (body !== undefined) stream.end(body);
      response.sendingMs = performance.now() - from;
      await this.#read(stream, request, response, from + response.sendingMs);
    } catch (error) {
      const unprocessed = stream?.rstCode === constants.NGHTTP2_REFUSED_STREAM ||
        (stream?.id ?? 0) > this.#lastStream;
      throw http2Fault(this.#fault ?? error, unprocessed);
    } finally {
      this.#countBytes(response);
      this.#exchanges.delete(response);
      if (this.#retired) this.retire();
    }
  }

  /**
   * Aborts the exchange that fills in `response`. If no other exchange uses the connection, also
   * closes the connection: it may be dead, and the next request would time out as well.
   */
  abort(response: HttpResponse): void {
    const abort = this.#exchanges.get(response);
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
   * Sets the byte counts of an exchange that has ended: all bytes on the connection since the
   * previous exchange ended. If the connection ended without a response, the exchange counts as
   * having received no bytes.
   */
  #countBytes(response: HttpResponse): void {
    const { bytesRead: read, bytesWritten: written } = this.#socket;
    response.bytesSent += written - this.#counted.written;
    this.#counted.written = written;
    if (response.status === 0 && !this.#isAlive) return;
    response.bytesReceived += read - this.#counted.read;
    this.#counted.read = read;
  }

  #read(
    stream: ClientHttp2Stream,
    { method, needs, stream: incoming }: Outgoing,
    response: HttpResponse,
    sentAt: number,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { limits } = this.#options;
    const limit = needs.body ? limits.body : Infinity;
    const body = new ByteSink();
    let firstAt = 0;
    let ended = false;
    let stopped = false;
    let first: Uint8Array | undefined;
    let length: string | undefined;
    const keepsAll = takeSampleTurn(needs);
    const takeExcerpt = () => {
      if (first === undefined || !keepsAll && !keepsFailure(needs, response.status)) return;
      response.excerpt = Uint8Array.from(first.subarray(0, MAX_EXCERPT));
    };
    const refuse = (error: unknown) => {
      takeExcerpt();
      reject(error);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    // Data can arrive before the status and the headers, which a body stream needs.
    const early: Uint8Array[] = [];
    const deliver = (chunk: Uint8Array) => {
      if (stopped || !incoming?.push(chunk, response)) return;
      ended = stopped = true;
      stream.close(constants.NGHTTP2_CANCEL);
    };
    this.#exchanges.set(response, () => refuse(new Error("the exchange was aborted")));
    stream.on("response", (_headers, _flags, ...[raw]: string[][]) => {
      firstAt = performance.now();
      if (headerBlockSize(raw) > limits.headers) {
        const message = `the response headers are larger than ${limits.headers} bytes`;
        return refuse(new ExchangeError("too_large", message));
      }
      length = takeHeaders(raw, needs, keepsAll, response);
      for (const chunk of early.splice(0)) deliver(chunk);
    });
    stream.on("data", (chunk: Uint8Array) => {
      response.bodySize += chunk.length;
      // Keeps the first data, because it can arrive before the status, which decides whether it is
      // needed.
      first ??= chunk;
      if (needs.body) body.append(chunk, 0, chunk.length);
      if (incoming !== undefined && response.status === 0) early.push(chunk);
      else deliver(chunk);
      if (response.bodySize > limit) {
        refuse(new ExchangeError("too_large", `the response body is larger than ${limit} bytes`));
      }
    });
    // If the connection closes after a GOAWAY, the stream ends as if it were complete.
    stream.on("end", () => ended = this.#lastStream === Infinity || !this.#session.destroyed);
    stream.on("error", (error: unknown) => {
      takeExcerpt();
      reject(error);
    });
    stream.on("close", () => {
      if (!ended || response.status === 0) {
        takeExcerpt();
        return reject(this.#fault ?? new Error("the HTTP/2 stream was closed"));
      }
      if (!stopped) {
        const fault = lengthFault(method, response, length);
        if (fault) return reject(fault);
        // After a reset with this code, the stream emits no error.
        if (stream.rstCode === constants.NGHTTP2_CANCEL) {
          return reject(new ExchangeError("reset", "the server reset the stream"));
        }
      }
      if (needs.body) response.body = body.take();
      else takeExcerpt();
      response.waitingMs = firstAt - sentAt;
      response.receivingMs = performance.now() - firstAt;
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

/**
 * Adds the status and the needed headers to `response`. `raw` is a list of alternating names and
 * values. Returns the value of content-length, or undefined if the header is missing.
 */
function takeHeaders(
  raw: readonly string[],
  needs: ResponseNeeds,
  keepsAll: boolean,
  response: HttpResponse,
): string | undefined {
  let length: string | undefined;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i];
    if (name === "content-length") length = raw[i + 1];
    if (name === ":status") response.status = Number(raw[i + 1]);
    else if (
      needs.headers || keepsAll || keepsFailure(needs, response.status) || ACTED_ON.has(name) ||
      (needs.body && ACTED_ON_WITH_BODY.has(name))
    ) response.headers.push([name, raw[i + 1]]);
  }
  return length;
}

function keepsFailure({ keepsFailure }: ResponseNeeds, status: number): boolean {
  return status >= 400 && keepsFailure !== undefined && keepsFailure(status);
}

/**
 * Returns the size of a header list in bytes, without the per-field overhead that RFC 9113, 6.5.2
 * adds.
 */
function headerBlockSize(raw: readonly string[]): number {
  let size = 0;
  for (let i = 0; i < raw.length; i++) size += raw[i].length;
  return size;
}

/**
 * Returns an error if the body size does not match the content-length, or if the response has a
 * body although it must not have one (RFC 9113, 8.1.1). Otherwise returns undefined.
 */
function lengthFault(
  method: string,
  { status, bodySize }: HttpResponse,
  length: string | undefined,
): ExchangeError | undefined {
  const isEmpty = method === "HEAD" || status === 204 || status === 304;
  if (isEmpty ? bodySize === 0 : length === undefined || isWhole(length, bodySize)) {
    return undefined;
  }
  const expected = isEmpty ? "it must not have a body" : `its content-length is ${length}`;
  return new ExchangeError(
    "protocol",
    `the response is not valid HTTP/2: ${expected}, but its body has ${bodySize} bytes`,
  );
}

function isWhole(length: string, bodySize: number): boolean {
  return /^\d+$/.test(length) && Number(length) === bodySize;
}

function http2Fault(error: unknown, unprocessed: boolean): unknown {
  if (error instanceof ExchangeError) return error;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const cause = { cause: error, unprocessed };
  if (code === "ERR_HTTP2_STREAM_ERROR") {
    return new ExchangeError(
      "reset",
      `the server reset the stream: ${(error as Error).message}`,
      cause,
    );
  }
  if (typeof code === "string" && code.startsWith("ERR_HTTP2_")) {
    const message = `HTTP/2 failed: ${(error as Error).message}`;
    return new ExchangeError("protocol", message, cause);
  }
  return unprocessed
    ? new ExchangeError("closed", "the server did not process the request", cause)
    : error;
}
